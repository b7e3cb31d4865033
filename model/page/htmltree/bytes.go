package htmltree

// byteClass is a set of properties of a byte.
type byteClass uint8

const (
	spaceByte byteClass = 1 << iota
	// endsName, endsKey and endsValue bytes end the name of a tag, the key of an attribute, and a value without quotes
	// (HTML §13.2.5.8, 33 and 38).
	endsName
	endsKey
	endsValue
	// notLower bytes change in [lowerName].
	notLower
)

//nolint:gochecknoglobals // a constant table
var byteClasses = func() (t [256]byteClass) {
	for c, list := range map[byteClass]string{
		spaceByte: space, endsName: space + "/>", endsKey: space + "/>=", endsValue: space + ">", notLower: "\x00ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	} {
		for i := range len(list) {
			t[list[i]] |= c
		}
	}
	return t
}()

func isSpace(c byte) bool { return byteClasses[c]&spaceByte != 0 }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
