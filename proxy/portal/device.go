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

// device describes how to set up one kind of device.
type device struct {
	ID, Name string
	// Proxy says how to configure the proxy, Trust how to trust the certificate.
	Proxy, Trust string
	// File and Label are the link to the certificate in the device's format.
	File, Label string
}

func devices() []device {
	return []device{
		{"ios", "iPhone and iPad", "Settings → Wi-Fi → (i) beside the network → Configure Proxy → Manual.",
			"Open the profile below in Safari, then Settings → Profile Downloaded → Install. Then Settings → General → About → Certificate Trust Settings → switch winnow on: without this last step nothing is trusted.",
			"/ca.mobileconfig", "Get the profile"},
		{"android", "Android", "Settings → Network → Wi-Fi → the network → Edit → Advanced → Proxy → Manual.",
			"Get the certificate below, then Settings → Security → More → Install a certificate → CA certificate. Browsers then trust it; most apps do not (Android 7 and later), and use their own connections.",
			"/ca.der", "Get the certificate"},
		{"mac", "Mac", "System Settings → Network → the network → Details → Proxies: HTTP and HTTPS.",
			"Open the profile below and install it in System Settings → Privacy & Security → Profiles.", "/ca.mobileconfig", "Get the profile"},
		{"windows", "Windows", "Settings → Network & internet → Proxy → Manual setup.",
			"Open the certificate below → Install Certificate → Local Machine → Trusted Root Certification Authorities.", "/ca.der", "Get the certificate"},
		{"firefox", "Firefox", "Settings → Network Settings → Manual proxy configuration, for HTTPS too.",
			"Get the certificate below, then Settings → Certificates → View Certificates → Authorities → Import.", "/ca.pem", "Get the certificate (PEM)"},
		{"linux", "Linux and the command line", "Set http_proxy and https_proxy to the address below, for programs of the command line; desktops have it in their network settings.",
			"Debian and Ubuntu: copy the file below to /usr/local/share/ca-certificates/winnow.crt, then run sudo update-ca-certificates.", "/ca.pem", "Get the certificate (PEM)"},
	}
}

// ordered returns the devices, with that of the User-Agent first.
func ordered(userAgent string) []device {
	all := devices()
	for i, d := range all {
		if d.ID == deviceOf(userAgent) {
			return append(append([]device{d}, all[:i]...), all[i+1:]...)
		}
	}
	return all
}
