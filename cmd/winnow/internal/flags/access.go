package flags

import (
	"net"

	"github.com/winnow-proxy/winnow/cmd/internal/console"
	"github.com/winnow-proxy/winnow/cmd/winnow/internal/running"
	"github.com/winnow-proxy/winnow/proxy"
	"github.com/winnow-proxy/winnow/proxy/access"
	"github.com/winnow-proxy/winnow/proxy/admin"
)

// Access are the flags for who may use the proxy and the admin address, and for the ports that clients may reach.
type Access struct {
	PasswordFile      string   `placeholder:"FILE" short-help:"Ask clients for a name and password (see winnow passwd)." help:"Ask clients for a name and password from this file, which winnow passwd writes (htpasswd with bcrypt)."`
	AllowClient       []string `placeholder:"NETWORK" short-help:"Networks that clients may come from." help:"Networks and addresses that clients may come from, such as 192.168.0.0/16; connections from elsewhere are closed (default: all may)."`
	AllowPort         []string `key:"" hidden:"" placeholder:"PORT" help:"Ports and ranges of ports that clients may reach (default: 80, 443 and those from 1024 on that browsers permit, and only 443 for tunnels by CONNECT)."`
	AdminPasswordFile string   `key:"" hidden:"" placeholder:"FILE" help:"Ask for a name and password from this file at the admin address; health, readiness and the PAC file are open."`
	AdminTokenFile    string   `key:"" hidden:"" placeholder:"FILE" help:"Ask for the token in this file at the admin address, as a bearer token or as the password of any name. The default is the token in the data folder (admin-token, created if missing), unless admin-password-file is given or --admin is a Unix socket."`
	AdminAllowClient  []string `key:"" hidden:"" placeholder:"NETWORK" help:"Networks and addresses that may use the admin address; health, readiness and the PAC file are open."`
	AdminName         []string `key:"" hidden:"" placeholder:"HOST" help:"Names of the admin address; requests that name other hosts are refused, which keeps web pages from using it."`
}

// Rules are the checked flags of Access.
type Rules struct {
	flags             Access
	users, adminUsers *access.Verifier
	adminClients      access.Networks
	adminToken        string
	// adminOpen says that metrics and drain need no token.
	adminOpen bool
}

// Rules checks the flags. An address that other machines can reach must have access rules, so that nobody runs an open
// proxy by mistake.
//
// Every user of this machine can connect to its admin address, and where other machines can reach the proxy, its
// clients may find a way there, too. So the admin address asks for a token: the one in dir unless the flags name
// another. A Unix socket needs none, because the file system says who may open it.
func (f Access) Rules(listen, adminAddr, dir string) (r Rules, err error) {
	r.flags = f
	switch {
	case f.AdminTokenFile != "":
		r.adminToken, err = access.ReadToken(f.AdminTokenFile)
	case f.AdminPasswordFile == "" && adminAddr != "" && !IsUnix(adminAddr):
		if r.adminToken, err = running.Token(dir); err != nil {
			return r, Denied(dir, err)
		}
		r.adminOpen = access.LoopbackOnly(listen) && access.LoopbackOnly(adminAddr)
	}
	if err != nil {
		return r, console.Usagef("admin-token-file: %w", err)
	}
	if r.users, err = users("--password-file", f.PasswordFile); err != nil {
		return r, err
	}
	if r.adminUsers, err = users("admin-password-file", f.AdminPasswordFile); err != nil {
		return r, err
	}
	if _, err := access.ParseNetworks(f.AllowClient); err != nil {
		return r, console.Usagef("--allow-client: %w", err)
	}
	if r.adminClients, err = access.ParseNetworks(f.AdminAllowClient); err != nil {
		return r, console.Usagef("admin-allow-client: %w", err)
	}
	if _, err := access.ParsePorts(f.AllowPort); err != nil {
		return r, console.Usagef("allow-port: %w", err)
	}
	if open(listen, r.users, f.AllowClient) {
		return r, console.Usagef("--listen %s: anybody who can reach this address could use the proxy: say who may with "+
			"--allow-client NETWORK (0.0.0.0/0,::/0 if all may), ask for passwords with --password-file FILE (winnow passwd "+
			"add FILE NAME makes it), or listen on 127.0.0.1", listen)
	}
	if !IsUnix(adminAddr) && (r.adminToken == "" || f.AdminTokenFile == "" && access.LoopbackOnly(listen)) && open(adminAddr, r.adminUsers, f.AdminAllowClient) {
		return r, console.Usagef("--admin %s: anybody who can reach this address could see and forget models: say who may with "+
			"admin-allow-client NETWORK, ask for passwords with admin-password-file FILE or a token with admin-token-file FILE, or use 127.0.0.1", adminAddr)
	}
	return r, nil
}

// open reports whether other machines can reach an address without access rules. An invalid address is not open;
// listening on it fails later with a better message.
func open(addr string, users *access.Verifier, clients []string) bool {
	_, _, err := net.SplitHostPort(addr)
	return err == nil && !access.LoopbackOnly(addr) && users == nil && len(clients) == 0
}

// users reads a password file if one is given.
func users(flag, file string) (*access.Verifier, error) {
	if file == "" {
		return nil, nil
	}
	u, err := access.LoadUsers(file)
	if err != nil {
		return nil, console.Usagef("%s: %w", flag, err)
	}
	return access.NewVerifier(u)
}

// Guard applies the rules to the proxy.
func (r Rules) Guard(o *proxy.Options) {
	o.Users, o.AllowClients, o.AllowPorts = r.users, r.flags.AllowClient, r.flags.AllowPort
}

// GuardAdmin applies the rules to the admin address.
func (r Rules) GuardAdmin(o *admin.Options) {
	o.Users, o.Clients, o.Names, o.Token, o.Open = r.adminUsers, r.adminClients, r.flags.AdminName, r.adminToken, r.adminOpen
}
