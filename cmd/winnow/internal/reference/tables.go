package reference

// variables are the environment variables that set no flag.
func variables() [][]string {
	return [][]string{
		{"`XDG_DATA_HOME`, `HOME`, `LocalAppData`", "the default of `--data`: `$XDG_DATA_HOME/winnow`, `~/.local/share/winnow` or `%LocalAppData%\\winnow`"},
		{"`NO_COLOR`, `TERM=dumb`", "print without colour"},
		{"`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`", "proxies to reach origins through, in upper or lower case, with `--upstream-proxy env`; ignored otherwise"},
		{"`GOMEMLIMIT`", "bounds the memory of `winnow serve` instead of the bound that follows from its flags"},
		{"`SSL_CERT_FILE`, `SSL_CERT_DIR`", "the system's root certificates in an unusual location (not on Windows and macOS)"},
	}
}

// keys are the keys of the configuration file that are no flags.
func keys() [][]string {
	return [][]string{
		{"`overrides.HOST.keep`", "list of CSS selectors: matching elements stay"},
		{"`overrides.HOST.remove`", "list of CSS selectors: matching elements are removed; the innermost match decides, and on one element `keep`"},
		{"`overrides.HOST.keep-kinds`", "kinds of parts that stay, with commas between, as in `--keep`"},
		{"`overrides.HOST.drop-kinds`", "kinds of parts that go, with commas between, as in `--drop`"},
		{"`overrides.HOST.ignore`", "list of CSS selectors: a page with a match passes unchanged and is not learned"},
		{"`overrides.HOST.test`", "list of tests for `winnow check`"},
		{"`overrides.HOST.test[].file`", "the saved page of a test, relative to the folder of the configuration"},
		{"`overrides.HOST.test[].url`", "the URL of the page of a test; give either `file` or `url`"},
		{"`overrides.HOST.test[].has`", "list of texts that the cleaned page must contain"},
		{"`overrides.HOST.test[].lacks`", "list of texts that it must not contain"},
	}
}

// requestFields are the header fields of requests that winnow uses.
func requestFields() [][]string {
	return [][]string{
		{"`Winnow-Mode`", "the mode of this answer: a mode of `--mode`; it is not sent on. Without it, `Accept` can choose"},
		{"`Winnow-Keep`", "kinds of parts that stay in this answer, with commas between, on top of `--keep` and `--drop`; it is not sent on"},
		{"`Winnow-Drop`", "kinds of parts that go from this answer, likewise"},
		{"`Winnow-Links`", "how Markdown writes links: `inline`, `footnote` or `none`"},
		{"`Winnow-Chunks`", "a number of tokens: JSON has the content in pieces of at most so many as well"},
		{"`Winnow-Learn`", "`off`: the page teaches nothing"},
		{"`Accept`", "`text/markdown` or `text/plain` without `text/html` asks for that form"},
		{"`Cache-Control: no-transform`", "asks for the original (RFC 9111 §5.2.1.6)"},
		{"`Sec-Fetch-Dest`", "what a browser fetches for: only documents and frames are cleaned"},
		{"`Proxy-Authorization`", "name and password for `--password-file`, as Basic; it is not sent on"},
	}
}

// responseFields are the header fields of responses that winnow sets or changes.
func responseFields() [][]string {
	return [][]string{
		{"`Winnow: cleaned; mode=…; pages=…; removed=…; confidence=…`", "the page was cleaned: in which mode, with how many pages of the host learned, which share of its text was removed, and how well pages judged like this one have come out (F1 in words); `thin` behind it says that next to nothing to read is left. Where models are shared, `pages` and `confidence` are not told"},
		{"`Winnow: passed; reason=…`", "the response passed unchanged, and why"},
		{"`Winnow: failed; reason=…`", "an error page of winnow's own, and why"},
		{"`Via`", "names winnow as a proxy on the way (RFC 9110 §7.6.3); `transformed` says that it changed the body"},
		{"`ETag`", "of a cleaned page: weak, and another for each mode and state of the model"},
		{"`Vary`", "of a cleaned page: adds `Winnow-Mode`, `Winnow-Keep`, `Winnow-Drop`, `Winnow-Links`, `Winnow-Chunks`, `Accept`, `Accept-Encoding`, `Sec-Fetch-Dest` and `Upgrade-Insecure-Requests`"},
		{"`Content-MD5`, `Digest`, `Content-Digest`, `Repr-Digest`, `Unencoded-Digest`, `Accept-Ranges`, `Use-As-Dictionary`", "taken off a cleaned page: they speak of the origin's bytes"},
		{"`Proxy-Authenticate`", "asks for the password of `--password-file`"},
	}
}
