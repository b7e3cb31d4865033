package admin

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/winnow-proxy/winnow/proxy/access"
)

// Everything but health, readiness and the PAC file asks for the password, unsafe methods above all.
func TestPassword(t *testing.T) {
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	list, err := access.ParseUsers(strings.NewReader("ada:" + string(hash)))
	if err != nil {
		t.Fatal(err)
	}
	users, err := access.NewVerifier(list)
	if err != nil {
		t.Fatal(err)
	}
	models := newFakeModels()
	send := serve(t, Options{Models: models, Users: users, Proxy: "127.0.0.1:8080"})
	basic := func(credentials string) string {
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
	}
	for _, path := range []string{"/healthz", "/readyz", "/proxy.pac"} {
		if resp, body := send(http.MethodGet, path); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s: %s", path, resp.Status, body)
		}
	}
	for _, request := range []string{"GET /", "GET /api/v1/hosts", "DELETE /api/v1/hosts/a.test", "POST /api/v1/drain", "GET /nothing"} {
		method, path, _ := strings.Cut(request, " ")
		resp, _ := send(method, path)
		if resp.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Basic ") {
			t.Errorf("%s without a password: %s", request, resp.Status)
		}
		if resp, _ := send(method, path, "Authorization", basic("ada:guess")); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s with a wrong password: %s", request, resp.Status)
		}
	}
	if len(models.hosts) != 2 || models.drained.Load() != 0 {
		t.Error("something happened without the password")
	}
	if resp, body := send(http.MethodDelete, "/api/v1/hosts/a.test", "Authorization", basic("ada:secret")); resp.StatusCode != http.StatusNoContent {
		t.Errorf("with the password: %s: %s", resp.Status, body)
	}
	for range 20 {
		send(http.MethodGet, "/", "Authorization", basic("ada:guess"))
	}
	resp, _ := send(http.MethodGet, "/", "Authorization", basic("ada:guess"))
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
		t.Errorf("after many guesses: %s", resp.Status)
	}
	// A password does not make a request from another site one of the operator's.
	resp, _ = send(http.MethodDelete, "/api/v1/hosts/b.test:8443", "Authorization", basic("ada:secret"), "Sec-Fetch-Site", "cross-site")
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %s", resp.Status)
	}
}

func TestClientNetworks(t *testing.T) {
	for network, status := range map[string]int{"10.0.0.0/8": http.StatusForbidden, "127.0.0.1": http.StatusOK} {
		clients, err := access.ParseNetworks([]string{network})
		if err != nil {
			t.Fatal(err)
		}
		send := serve(t, Options{Models: newFakeModels(), Clients: clients})
		if resp, _ := send(http.MethodGet, "/api/v1/hosts"); resp.StatusCode != status {
			t.Errorf("%s: %s", network, resp.Status)
		}
		if resp, _ := send(http.MethodGet, "/readyz"); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: readiness: %s", network, resp.Status)
		}
	}
}
