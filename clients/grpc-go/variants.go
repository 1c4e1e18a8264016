package main

import "google.golang.org/grpc"

// The variants.
const (
	asItComes = "grpc-go"
	withRetry = "grpc-go-retry"
	spread    = "grpc-go-spread"
)

// optionsOf returns a variant's dial options.
func optionsOf(variant string) []grpc.DialOption {
	if variant == withRetry {
		return []grpc.DialOption{retrying()}
	}
	return nil
}

// retrying is client-side retry as gRFC A6 defines it. grpc-go makes at most five attempts unless
// WithMaxCallAttempts changes that.
func retrying() grpc.DialOption {
	// snippet:grpc-go-retry
	return grpc.WithDefaultServiceConfig(`{"methodConfig": [{
		"name": [{"service": "h2lab.Echo"}],
		"retryPolicy": {
			"maxAttempts": 5, "initialBackoff": "0.01s", "maxBackoff": "1s", "backoffMultiplier": 2,
			"retryableStatusCodes": ["UNAVAILABLE"]
		}
	}]}`)
	// snippet:end
}

// dial makes the application's ClientConns: one that all calls share, or several.
func dial(variant, target string, options []grpc.DialOption) ([]*grpc.ClientConn, error) {
	if variant != spread {
		conn, err := grpc.NewClient(target, options...)
		return []*grpc.ClientConn{conn}, err
	}
	// snippet:grpc-go-spread
	conns := make([]*grpc.ClientConn, 4) // worker n makes its calls on conns[n%4]
	for i := range conns {
		conn, err := grpc.NewClient(target, options...)
		if err != nil {
			return nil, err
		}
		conns[i] = conn
	}
	// snippet:end
	return conns, nil
}
