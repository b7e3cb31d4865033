package marks

import (
	"github.com/winnow-proxy/winnow/model/blend/internal/parts"
	"github.com/winnow-proxy/winnow/model/page"
)

// holdsPicture reports whether e, whose text is all noise, has a picture or film that belongs to the content, such as a
// photograph above a caption that looks like a label. It considers only small parts in the middle of content that no
// name marks as noise.
func (f *markFinder) holdsPicture(e page.ElementID) bool {
	v, el := f.v, &f.v.Doc.Elements[e]
	if f.core == page.None || v.Elements[e].Words > 30 {
		return false
	}
	amid := el.BlockStart > f.first && el.BlockEnd <= f.last || f.core > v.Doc.Body && v.Doc.Contains(f.core, e)
	return amid && parts.KindOfElement(v.Page, e) == page.KindOther && v.Among(v.ShareLinks, e) == 0 && parts.ShowsPicture(v.Page, e)
}
