package proxy

import "embed"

// assets are the pages that the proxy itself serves.
//
//go:embed assets
var assets embed.FS
