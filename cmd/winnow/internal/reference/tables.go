package reference

import (
	"strings"

	"github.com/winnow-proxy/winnow/proxy/pipeline"
)

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
		{"`overrides.HOST.keep-kinds`", "kinds of parts that stay, separated by commas, as in `--keep`"},
		{"`overrides.HOST.drop-kinds`", "kinds of parts to remove, separated by commas, as in `--drop`"},
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
		{"`Winnow-Mode`", "the mode of this answer, as in `--mode`; not sent to the origin. Without it, `Accept` can choose"},
		{"`Winnow-Keep`", "kinds of parts that stay in this answer, separated by commas, in addition to `--keep` and `--drop`; not sent to the origin"},
		{"`Winnow-Drop`", "kinds of parts to remove from this answer, in the same way"},
		{"`Winnow-Links`", "how Markdown writes links: `inline`, `footnote` or `none`"},
		{"`Winnow-Chunks`", "a number of tokens: JSON also has the content in pieces of at most so many tokens"},
		{"`Winnow-Learn`", "`off`: the page is not learned"},
		{"`Accept`", "`text/markdown` or `text/plain` without `text/html` asks for that form"},
		{"`Cache-Control: no-transform`", "asks for the original (RFC 9111 §5.2.1.6)"},
		{"`Sec-Fetch-Dest`", "what a browser uses the answer for: only documents and frames are cleaned"},
		{"`Proxy-Authorization`", "name and password for `--password-file`, as Basic; not sent to the origin"},
	}
}

// responseFields are the header fields of responses that winnow sets or changes.
func responseFields() [][]string {
	return [][]string{
		{"`Winnow: cleaned; mode=…; pages=…; removed=…; confidence=…`", "the page was cleaned: the mode, the number of pages learned from the host, the share of text removed, and the quality that pages marked like this one have had (F1 over words); `thin` at the end says that very little text is left. `pages` and `confidence` are for programs, and left out where models are shared, or a browser asks: it sends `Sec-Fetch-…` or `Accept-Language`, which a page's scripts can't keep back"},
		{"`Winnow: scaled; bytes=…; of=…`", "a picture was made smaller, as in mode lite, or GIF or JPEG, as in mode vintage: its size now, and at the origin"},
		{"`Winnow: passed; reason=…`", "the response passed unchanged, for this reason"},
		{"`Winnow: begun; reason=stalled`", "by ICAP: the answer began before the page was whole, because Squid waited for it"},
		{"`Winnow: failed; reason=…`", "an error page from winnow, for this reason"},
		{"`Via`", "names winnow as a proxy (RFC 9110 §7.6.3); `transformed` says that it changed the body"},
		{"`ETag`", "of a cleaned page: weak; in the modes `remove`, `reader`, `lite`, `vintage`, `text` and `markdown` it has a hash of the content, so that `If-None-Match` gets 304 while only the template changes; in the other modes it is different for each state of the model"},
		{"`X-Markdown-Tokens`", "about how many tokens the Markdown has"},
		{"`Winnow-Part`", "from the API: which part of how many this is, as in `2/5`"},
		{"`Vary`", "of a cleaned page: adds `" + strings.Join(pipeline.VaryFields(), "`, `") + "`"},
		{"`Content-MD5`, `Digest`, `Content-Digest`, `Repr-Digest`, `Unencoded-Digest`, `Accept-Ranges`, `Use-As-Dictionary`", "removed from a cleaned page, because they describe the origin's bytes"},
		{"`Proxy-Authenticate`", "asks for the password of `--password-file`"},
	}
}
