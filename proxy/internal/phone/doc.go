// Package phone looks at whole sites through a proxy with a browser, as someone with a phone would. It has tests alone.
package phone
