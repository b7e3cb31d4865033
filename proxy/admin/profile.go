package admin

import (
	"fmt"
	"io"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// profiles serves the profiles of the running program where go tool pprof and go tool trace expect them. It does not
// use net/http/pprof, which registers itself on http.DefaultServeMux, shows the command line (where flags may have
// passwords), and links a reader of profiles.
func profiles(mux *http.ServeMux) {
	for path, h := range map[string]http.HandlerFunc{
		"/debug/pprof/{$}": listProfiles, "/debug/pprof/{name}": writeProfile,
		"/debug/pprof/profile": record(30*time.Second, pprof.StartCPUProfile, pprof.StopCPUProfile),
		"/debug/pprof/trace":   record(time.Second, trace.Start, trace.Stop),
	} {
		mux.Handle(path, methods{http.MethodGet: h})
	}
}

// listProfiles names the profiles, and how many stacks are in each.
func listProfiles(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	for _, p := range pprof.Profiles() {
		fmt.Fprintf(w, "%d\t%s\n", p.Count(), p.Name())
	}
	fmt.Fprint(w, "\tprofile (?seconds=30)\n\ttrace (?seconds=1)\n")
}

// writeProfile writes a profile, as text with ?debug=1.
func writeProfile(w http.ResponseWriter, r *http.Request) {
	p := pprof.Lookup(r.PathValue("name"))
	if p == nil {
		fail(w, http.StatusNotFound, "there is no such profile; /debug/pprof/ lists them")
		return
	}
	debug, _ := strconv.Atoi(r.FormValue("debug")) // what is no number is 0
	w.Header().Set("Content-Type", "application/octet-stream")
	if debug > 0 {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	}
	_ = p.WriteTo(w, debug) // a client that left needs no answer
}

// longestRecord is how long a profile may be recorded.
const longestRecord = 10 * time.Minute

// record serves what start writes until stop is called, after ?seconds=N or the usual time. Only one can be recorded at
// once.
func record(usual time.Duration, start func(io.Writer) error, stop func()) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		length := usual
		if s := r.FormValue("seconds"); s != "" {
			seconds, err := strconv.ParseFloat(s, 64)
			if err != nil || !(seconds > 0 && seconds <= longestRecord.Seconds()) {
				fail(w, http.StatusBadRequest, "seconds: give more than 0 and at most "+strconv.Itoa(int(longestRecord.Seconds())))
				return
			}
			length = time.Duration(seconds * float64(time.Second))
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		if err := start(w); err != nil {
			fail(w, http.StatusConflict, err.Error())
			return
		}
		defer stop()
		select {
		case <-time.After(length):
		case <-r.Context().Done():
		}
	}
}
