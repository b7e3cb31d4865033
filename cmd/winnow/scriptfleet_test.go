package main

import (
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/rogpeppe/go-internal/testscript"
)

// natsServer starts a NATS server with JetStream on this machine, at nats://$NATS: nats start, or ends it: nats stop. A
// server that is started again has its port and its streams again.
func natsServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "start" && args[0] != "stop" {
		ts.Fatalf("usage: nats start|stop")
	}
	state := ts.Value(natsKey{}).(*natsState)
	if args[0] == "stop" {
		state.Shutdown()
		state.WaitForShutdown()
		return
	}
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: ts.MkAbs("nats"), NoLog: true, NoSigs: true}
	if _, port, err := net.SplitHostPort(ts.Getenv("NATS")); err == nil {
		o.Port, err = strconv.Atoi(port)
		ts.Check(err)
	}
	s, err := server.NewServer(o)
	ts.Check(err)
	s.Start()
	ts.Defer(s.Shutdown)
	state.Server = s
	if !s.ReadyForConnections(10 * time.Second) {
		ts.Fatalf("the NATS server does not start")
	}
	ts.Setenv("NATS", s.Addr().String())
}

type natsKey struct{}

// natsState is the server that runs during a script.
type natsState struct{ *server.Server }
