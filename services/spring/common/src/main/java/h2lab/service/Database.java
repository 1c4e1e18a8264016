package h2lab.service;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/**
 * The service's own database: H2 in this process's memory behind HikariCP with its defaults, one table of customers.
 * It is read once a request, so that it stands in the list of suspects as it does in a real service.
 */
final class Database {
    static final int ROWS = 1000;
    private final DataSource pool;

    Database(View view) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:service;DB_CLOSE_DELAY=-1");
        config.setPoolName("rows");
        pool = new HikariDataSource(config);
        view.state("database", "H2 in memory, " + ROWS + " rows, HikariCP with 10 connections");
        try {
            fill();
        } catch (SQLException e) {
            throw Failed.couldNot("the embedded database did not start: " + Messages.of(e));
        }
    }

    private void fill() throws SQLException {
        try (Connection c = pool.getConnection()) {
            c.createStatement().execute("CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(64) NOT NULL)");
            try (PreparedStatement insert = c.prepareStatement("INSERT INTO customer VALUES (?, ?)")) {
                for (int id = 1; id <= ROWS; id++) {
                    insert.setInt(1, id);
                    insert.setString(2, "customer " + id);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }
    }

    String anyName() throws SQLException {
        try (Connection c = pool.getConnection();
                PreparedStatement select = c.prepareStatement("SELECT name FROM customer WHERE id = ?")) {
            select.setInt(1, ThreadLocalRandom.current().nextInt(1, ROWS + 1));
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("the customer is missing");
                }
                return row.getString(1);
            }
        }
    }
}
