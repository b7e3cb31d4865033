package failure

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/winnow-proxy/winnow/proxy/dial"
	"github.com/winnow-proxy/winnow/proxy/hostname"
)

// classifyCertificate explains what is wrong with an origin's certificate, and what to do.
func classifyCertificate(host string, err error) (Failure, bool) {
	var invalid x509.CertificateInvalidError
	var name x509.HostnameError
	var unknown x509.UnknownAuthorityError
	var weak x509.InsecureAlgorithmError
	var own *dial.CertificateError
	switch {
	case errors.As(err, &own):
		return ownCertificateFailure(host, own), true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return untimelyFailure(host, invalid.Cert), true
	case errors.As(err, &name):
		return badCertificate(TLSName, "The site's certificate is for another site", "The certificate that was shown is "+
			namesOf(name.Certificate)+"not for "+host+". Check the address for a typing error."), true
	case errors.As(err, &weak), errors.As(err, &unknown) && unknown.Cert != nil && weakSignature(unknown.Cert):
		return badCertificate(TLSWeak, "The site's certificate is too weak", "The certificate of "+host+
			" is signed in a way that can be forged (MD5 or SHA-1). Its operator has to replace it."), true
	case errors.As(err, &unknown):
		return unknownIssuerFailure(host, unknown.Cert), true
	case errors.As(err, &invalid):
		return badCertificate(TLS, "The site's certificate is not valid", "The certificate of "+host+
			" may not be used this way. Its operator has to replace it."), true
	}
	return Failure{}, false
}

func badCertificate(r Reason, title, explain string) Failure {
	return Failure{http.StatusBadGateway, r, title,
		explain + " The connection was not made, because nobody can tell who would answer."}
}

func ownCertificateFailure(host string, err *dial.CertificateError) Failure {
	switch err.Fault {
	case dial.Revoked:
		return badCertificate(TLSRevoked, "The site's certificate was revoked", "The issuer of the certificate of "+host+
			" has called it back: its key may be in the wrong hands. Its operator has to replace it.")
	case dial.NoStaple:
		return badCertificate(TLSRevocation, "The site can't show that its certificate still holds", "The certificate of "+host+
			" is only good together with a fresh word from its issuer that it was not revoked, and the site sent none. Try again "+
			"in a moment.")
	}
	return badCertificate(TLSWeak, "The site's certificate is too weak", "The certificate of "+host+
		" has a key that is too short to be safe. Its operator has to replace it.")
}

// untimelyFailure explains certificates that have expired or are not valid yet.
func untimelyFailure(host string, c *x509.Certificate) Failure {
	const day = "2 January 2006"
	switch {
	case c == nil:
		return badCertificate(TLSExpired, "The site's certificate is out of date", "The certificate of "+host+" is out of date.")
	case time.Now().Before(c.NotBefore):
		return badCertificate(TLSNotYet, "The site's certificate is not valid yet", "The certificate of "+host+
			" holds from "+c.NotBefore.UTC().Format(day)+" on. If that is in the past, the clock of the proxy is wrong.")
	}
	return badCertificate(TLSExpired, "The site's certificate has expired", "The certificate of "+host+" ended on "+
		c.NotAfter.UTC().Format(day)+". Its operator has to renew it; if that is in the future, the clock of the proxy is wrong.")
}

func unknownIssuerFailure(host string, c *x509.Certificate) Failure {
	const trust = " Whoever runs the proxy can trust it with --upstream-ca, or leave the site to the judgement of its visitors " +
		"with --bypass."
	if c != nil && bytes.Equal(c.RawIssuer, c.RawSubject) {
		return badCertificate(TLSSelfSigned, "The site's certificate is self-signed",
			"Nobody but "+host+" itself vouches for its certificate."+trust)
	}
	return badCertificate(TLSIssuer, "The site's certificate is from an unknown issuer", "The certificate of "+host+
		" is not from an authority that this proxy knows, or the site leaves out the certificates in between."+trust)
}

// namesOf describes in short the sites that a certificate is for.
func namesOf(c *x509.Certificate) string {
	if c == nil || len(c.DNSNames) == 0 {
		return ""
	}
	names := c.DNSNames[:min(3, len(c.DNSNames))]
	for _, n := range names {
		bare := strings.TrimPrefix(n, "*.")
		if host, err := hostname.Canonical(bare); len(n) > 80 || err != nil || host != bare { // it might be anything
			return ""
		}
	}
	return "for " + strings.Join(names, ", ") + ", "
}

func classifyTLS(host string, err error) (Failure, bool) {
	var alert tls.AlertError
	var header tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var ech *tls.ECHRejectionError
	text := err.Error()
	if !errors.As(err, &alert) && !errors.As(err, &header) && !errors.As(err, &verify) && !errors.As(err, &ech) &&
		!strings.Contains(text, "tls: ") && !strings.Contains(text, "server gave HTTP response to HTTPS client") {
		return Failure{}, false
	}
	if strings.Contains(text, "handshake timeout") {
		return classifyTimeout(host, os.ErrDeadlineExceeded)
	}
	if strings.Contains(text, "certificate required") {
		return Failure{http.StatusBadGateway, TLS, "The site wants a certificate of its visitors",
			host + " lets in only who shows a certificate, which this proxy can't do for you. Whoever runs the proxy can have " +
				"the site's connections left alone with --bypass."}, true
	}
	return Failure{http.StatusBadGateway, TLS, "No secure connection to the site",
		host + " and this proxy could not agree on a secure connection. The site may not offer HTTPS there."}, true
}

// weakSignature reports whether the signature of a certificate uses a hash that can be forged (RFC 9155, RFC 6151).
func weakSignature(c *x509.Certificate) bool {
	switch c.SignatureAlgorithm {
	case x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.DSAWithSHA1, x509.ECDSAWithSHA1:
		return true
	}
	return false
}
