//go:build full && !measure

package phone

// looks is the number of pages of a site that are looked at.
const looks = 2
