package portal

import "strings"

// deviceOf returns the kind of device of a User-Agent, by the names of the sections of the portal's page, or an empty
// string. An iPad with a desktop's User-Agent counts as a Mac; both use the same profile.
func deviceOf(userAgent string) string {
	for _, d := range []struct{ word, device string }{
		{"iPhone", "ios"}, {"iPad", "ios"}, {"Android", "android"}, {"Firefox", "firefox"}, {"Windows", "windows"}, {"Mac OS X", "mac"},
		{"Linux", "linux"}, {"CrOS", "linux"}, {"curl", "linux"},
	} {
		if strings.Contains(userAgent, d.word) {
			return d.device
		}
	}
	return ""
}

// device is a kind of device: its steps are the messages that begin with its ID.
type device struct {
	ID, Name string
	// File is the certificate in the device's format.
	File string
	// Command sets the proxy; the certificate is copied To a file, and Run puts it to use.
	Command, To, Run string
}

// Label is the message on the link to the certificate.
func (d device) Label() string {
	if d.File == "/ca.mobileconfig" {
		return "setup.profile"
	}
	return "setup.certificate"
}

// devices are those that there are instructions for, with the proxy at an address.
func devices(addr string) []device {
	return []device{
		{ID: "ios", Name: "iPhone, iPad", File: "/ca.mobileconfig"},
		{ID: "android", Name: "Android", File: "/ca.der"},
		{ID: "mac", Name: "Mac", File: "/ca.mobileconfig"},
		{ID: "windows", Name: "Windows", File: "/ca.der"},
		{ID: "firefox", Name: "Firefox", File: "/ca.pem"},
		{ID: "linux", Name: "linux.name", File: "/ca.pem", Command: "export http_proxy=http://" + addr + " https_proxy=http://" + addr,
			To: "/usr/local/share/ca-certificates/winnow.crt", Run: "sudo update-ca-certificates"},
	}
}

// ordered returns the devices, with that of the User-Agent first.
func ordered(userAgent, addr string) []device {
	all := devices(addr)
	for i, d := range all {
		if d.ID == deviceOf(userAgent) {
			return append(append([]device{d}, all[:i]...), all[i+1:]...)
		}
	}
	return all
}
