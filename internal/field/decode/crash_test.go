package decode

import "testing"

// A process of Erlang or Elixir that held a connection says by its reason and its last message how the connection ended.
func TestCrashReportsOfConnections(t *testing.T) {
	const head = "13:13:09.260 [error] GenServer #PID<0.989.0> terminating\n"
	areOf(t, map[string]Kind{
		head + "** (CaseClauseError) no case clause matching: {:stop, :timeout}\n    (pigeon 2.0.0) lib/worker.ex:33: Worker.handle_info/2\n" +
			"Last message: {:closed, #PID<0.990.0>}": Plain,
		head + "** (stop) :normal\nLast message: {:tcp_closed, #Port<0.12>}\nState: %Conn{proto: :http2}": Lost,
		head + "** (FunctionClauseError) no function clause matching in Conn.handle_info/2\n    lib/conn.ex:10: Conn.handle_info(1)\n" +
			"Last message: {:ssl_closed, {:sslsocket, 1}}\nState: %Conn{proto: :http2}": Lost,
		"GenServer Apns terminating\n** (stop) {:gun_down, #PID<0.990.0>, :http2, :closed, []}\nLast message: {:gun_down, #PID<0.990.0>}": Lost,
		"=ERROR REPORT==== 1-Jan-2031::10:00:00 ===\n** Generic server <0.989.0> terminating\n" +
			"** Last message in was {goaway,1999,no_error,<<>>}\n** When Server state == {state,http2}\n" +
			"** Reason for termination ==\n** {goaway,no_error}": Ended,
		head + "** (stop) {:error, :econnrefused}\nLast message: {:continue, :connect}\nState: %{adapter: :grpc}":       Unreached,
		"10:00:00 [error] gen_server <0.9.0> terminated with reason: {tcp_error,econnreset} in h2_client:handle_info/2": Lost,
		head + "** (DBConnection.ConnectionError) tcp recv: closed\nLast message: {:tcp_closed, #Port<0.12>}":           Unrelated,
	})
	areQuiet(t,
		head+"** (KeyError) key :name not found in: %{}\nLast message: {:put, :a, 1}",
		head+"** (CaseClauseError) no case clause matching: :open\nLast message: {:door, :closed}",
		head+"** (ArithmeticError) bad argument in arithmetic expression\nLast message: :tick\nState: %{state: :closed, timeout: 5000}")
}
