package facts

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"github.com/winnow-proxy/winnow/model/page"
	"github.com/winnow-proxy/winnow/model/page/metadata"
)

// labelSet has the labels of facts, and the words that begin or end one.
type labelSet struct {
	kinds       map[string]metadata.FactKind
	first, last map[string]bool
}

// labels has the labels of facts, in the languages of most of the web, by their words in lower case.
var labels = sync.OnceValue(func() labelSet { //nolint:gochecknoglobals // it never changes
	table := labelSet{map[string]metadata.FactKind{}, map[string]bool{}, map[string]bool{}}
	for kind, labels := range map[metadata.FactKind]string{
		metadata.FactYield: "yield yields servings serving serves makes portions portionen portion personen ergibt portioner porsjoner annosta annoksia porcje porcji porții " +
			"porciones raciones rendimento rendimiento rinde porções porzioni dosi_per persone personnes pour_personnes parts porties aantal_personen порций порции " +
			"количество_порций kişilik 人分 分量 份量 porce porcí adag μερίδες մասնաբաժին סועדים חצص",
		metadata.FactTime: "total_time total prep_time prep preparation_time preparation cook_time cook cooking_time cooking active_time hands_on_time ready_in inactive_time " +
			"resting_time chill_time marinating_time baking_time bake_time additional_time time duration zubereitungszeit zubereitung gesamtzeit gesamt arbeitszeit kochzeit " +
			"backzeit koch_backzeit ruhezeit vorbereitungszeit vorbereitung dauer temps_total temps_de_préparation préparation temps_de_cuisson cuisson temps_de_repos repos " +
			"tiempo_total tiempo_de_preparación tiempo_de_cocción preparación cocción tiempo tempo tempo_total tempo_de_preparo tempo_di_preparazione preparo preparazione " +
			"cottura tempo_di_cottura tempo_totale bereidingstijd totale_tijd totaal kooktijd voorbereidingstijd voorbereiding oventijd wachttijd czas_przygotowania " +
			"czas_gotowania czas время_приготовления время общее_время tilberedningstid tid total_tid samlet_tid arbejdstid arbetstid koketid valmistusaika " +
			"doba_přípravy čas_přípravy elkészítési_idő hazırlama_süresi hazırlık pişirme_süresi pişirme toplam_süre 調理時間 所要時間 χρόνος",
		metadata.FactPrice: "price our_price sale_price list_price regular_price your_price now preis unser_preis prix precio preço prezzo prijs cena цена fiyat fiyatı hinta pris ár " +
			"価格 价格 τιμή current_bid starting_bid winning_bid",
		metadata.FactCode: "sku item item_no item_number item_code product_code product_id product_number product_no model model_number model_no mpn part_number part_no upc ean gtin " +
			"isbn article_number art_no article artikelnummer artikel_nr art_nr bestellnummer bestell_nr référence réf ref referencia código código_do_produto codice " +
			"codice_prodotto artikelcode productcode productnummer kod_produktu indeks артикул код_товара код ürün_kodu tuotenumero varenummer varenr artikelnr cod_produs cod " +
			"cikkszám kód 型番 商品コード 货号 id post_id numero_oggetto número_de_artículo item_id lot",
		metadata.FactBrand: "brand brands manufacturer maker marke hersteller marque fabricant marca fabricante produttore merk fabrikant marka producent бренд производитель торговая_марка " +
			"üretici tillverkare varumärke märke merke mærke valmistaja značka výrobce gyártó márka producător 品牌 ブランド メーカー",
		metadata.FactAvailability: "availability verfügbarkeit disponibilité disponibilidad disponibilità disponibilidade beschikbaarheid dostępność наличие tillgänglighet stock " +
			"in_stock out_of_stock sold_out auf_lager sofort_lieferbar lieferbar en_stock rupture_de_stock disponible agotado disponibile non_disponibile em_estoque " +
			"esgotado op_voorraad uitverkocht dostępny в_наличии есть_в_наличии нет_в_наличии na_skladě skladem i_lager på_lager varastossa raktáron stokta în_stoc",
	} {
		for label := range strings.FieldsSeq(labels) {
			table.kinds[strings.ReplaceAll(label, "_", " ")] = kind
			first, _, _ := strings.Cut(label, "_")
			table.first[first], table.last[label[strings.LastIndexByte(label, '_')+1:]] = true, true
		}
	}
	return table
})

// longestLabel is the most words of a label.
const longestLabel = 3

// of returns the kind that words stand for.
func (l *labelSet) of(words []string) metadata.FactKind { return l.kinds[strings.Join(words, " ")] }

// mayBeIn reports whether one of the first or the last words may be a label.
func (l *labelSet) mayBeIn(words []string) bool {
	return len(words) > 0 && (l.first[words[0]] || l.last[words[len(words)-1]])
}

// ofEither returns the kind that the last or the first words of a label stand for: "eBay item number".
func (l *labelSet) ofEither(label []string) metadata.FactKind {
	if !l.mayBeIn(label) {
		return metadata.NoFact
	}
	for n := min(longestLabel, len(label)); n > 0; n-- {
		if kind := l.of(label[len(label)-n:]); kind != metadata.NoFact {
			return kind
		}
		if kind := l.of(label[:n]); kind != metadata.NoFact {
			return kind
		}
	}
	return metadata.NoFact
}

const (
	// labelledWords is the most words of a label with its value.
	labelledWords = 12
	// codeWords is the most words of a block with the label of a code among others.
	codeWords = 50
	// recipeLabels is the least number of labelled yields and times of a recipe that declares nothing.
	recipeLabels = 2
)

// labelled finds facts by their labels: on pages of products those of products, on pages with several facts of recipes
// those.
func (f *finder) labelled() {
	kinds := make([]metadata.FactKind, len(f.kinds))
	f.codes(kinds)
	recipe, declared := 0, slices.ContainsFunc(f.kinds, isOfRecipe)
	for i := range kinds {
		b := page.BlockID(i)
		if n := f.text.wordsIn(b, b+1); n == 0 || n > labelledWords {
			continue
		}
		kind, at := f.labelledAt(b)
		if kind == metadata.NoFact || f.isOther(b) || f.isOther(at) || f.inFrame(b) {
			continue
		}
		kinds[at] = kind
		if isOfRecipe(kind) {
			recipe++
		}
	}
	for b, kind := range kinds {
		if kind != metadata.NoFact && (isOfRecipe(kind) && (declared || recipe >= recipeLabels) || !isOfRecipe(kind) && f.Product) && f.kinds[b] == metadata.NoFact {
			f.take(page.BlockID(b), kind)
		}
	}
	if f.Product && !slices.Contains(f.kinds, metadata.FactPrice) {
		f.firstPrice()
	}
}

// codes takes the blocks in which the label of a code stands among others: "Brand: North, SKU 4711".
func (f *finder) codes(kinds []metadata.FactKind) {
	for i := range kinds {
		b := page.BlockID(i)
		all := f.text.of(b)
		if len(all) < 3 || len(all) > codeWords {
			continue
		}
		for w, word := range all[:len(all)-1] {
			if isCodeName(word) && slices.ContainsFunc(all[w+1:min(w+3, len(all))], hasDigit) && !f.isOther(b) && !f.inFrame(b) {
				kinds[b] = metadata.FactCode
				break
			}
		}
	}
}

// isCodeName reports whether a word is the name of codes of products and nothing else.
func isCodeName(word string) bool {
	switch word {
	case "sku", "mpn", "upc", "ean", "gtin", "isbn", "asin", "artikelnummer", "bestellnummer", "артикул", "artikelnr", "varenummer", "productcode", "référence", "referencia":
		return true
	}
	return false
}

func isOfRecipe(kind metadata.FactKind) bool {
	return kind == metadata.FactYield || kind == metadata.FactTime || kind == metadata.FactIngredient || kind == metadata.FactStep
}

// inFrame reports whether b is in a part around the content by its tag.
func (f *finder) inFrame(b page.BlockID) bool {
	for e := f.Page.Blocks[b].Element; e > f.Page.Body; e = f.Page.Elements[e].Parent {
		switch f.Page.Elements[e].Tag {
		case atom.Nav, atom.Footer, atom.Select, atom.Option:
			return true
		}
	}
	return false
}

// labelledAt returns the kind of the fact that block b labels, and the block with the value: b or the one after it.
func (f *finder) labelledAt(b page.BlockID) (metadata.FactKind, page.BlockID) {
	known, text, all := labels(), f.Text(b), f.text.of(b)
	before, value, found := strings.Cut(text, ":")
	label := all
	if found {
		f.buf = appendWords(f.buf[:0], before)
		label = all[:len(f.buf)]
	}
	if !found || len(label) > longestLabel+2 {
		if !known.mayBeIn(all) {
			return metadata.NoFact, b
		}
		for n := min(longestLabel, len(all)-1); n > 0; n-- { // "Serves 4", "Item # 418295"
			if kind := known.of(all[:n]); kind != metadata.NoFact && kind != metadata.FactBrand && hasValue(kind, strings.Join(all[n:], " "), text) {
				return kind, b
			}
		}
		for n := min(longestLabel, len(all)-1); n > 0; n-- { // "4 servings"
			if kind := known.of(all[len(all)-n:]); isOfRecipe(kind) && hasValue(kind, text, text) {
				return kind, b
			}
		}
		label, value = all, ""
	}
	kind := known.ofEither(label)
	if kind == metadata.FactBrand && known.of(label) != kind {
		return metadata.NoFact, b // a slogan
	}
	switch {
	case kind == metadata.NoFact:
	case len(words(value)) > 0:
		if hasValue(kind, value, value) {
			return kind, b
		}
	case kind == metadata.FactAvailability && !found:
		return kind, b // the value is the label
	case int(b)+1 < len(f.Page.Blocks):
		if next := f.Text(b + 1); f.text.wordsIn(b+1, b+2) > 0 && hasValue(kind, next, next) {
			return kind, b + 1
		}
	}
	return metadata.NoFact, b
}

// hasValue reports whether a value looks like one of a kind. text is what it stands in.
func hasValue(kind metadata.FactKind, value, text string) bool {
	n := len(words(value))
	digits := hasDigit(value)
	switch kind {
	case metadata.FactYield:
		return n <= 6 && (digits || strings.ContainsAny(value, "½¼¾")) && len(durations(text)) == 0
	case metadata.FactTime:
		return n <= 10 && len(durations(text)) > 0
	case metadata.FactPrice:
		return n <= 8 && len(amounts(value)) > 0
	case metadata.FactCode:
		return n <= 4 && digits
	case metadata.FactBrand, metadata.FactAvailability:
		return n <= 5
	}
	return false
}

const (
	// priceBelow is the most blocks between the title of a product and its price.
	priceBelow = 60
	// priceWords is the most words of a price without a label.
	priceWords = 6
)

// firstPrice takes the first price below the title of a product, with a second one beside it.
func (f *finder) firstPrice() {
	heading := f.heading()
	if heading == page.None {
		return
	}
	for b := heading + 1; int(b) < min(len(f.Page.Blocks), int(heading)+priceBelow); b++ {
		if !f.isPrice(b) {
			continue
		}
		f.take(b, metadata.FactPrice)
		if int(b)+1 < len(f.Page.Blocks) && f.isPrice(b+1) {
			f.take(b+1, metadata.FactPrice)
		}
		return
	}
}

func (f *finder) isPrice(b page.BlockID) bool {
	n := f.text.wordsIn(b, b+1)
	return n > 0 && n <= priceWords && !f.isOther(b) && !f.inFrame(b) && hasCurrency(f.Text(b)) && len(amounts(f.Text(b))) > 0
}

// labels takes the labels before facts: what stands in a cell or term before the value, ends in a colon, or is known as
// a label.
func (f *finder) labels() {
	known := labels()
	for i := 1; i < len(f.kinds); i++ {
		b := page.BlockID(i - 1)
		switch f.kinds[i] {
		case metadata.NoFact, metadata.FactAuthor, metadata.FactDate, metadata.FactName, metadata.FactStep, metadata.FactIngredient:
			continue
		}
		n := f.text.wordsIn(b, b+1)
		if f.kinds[b] != metadata.NoFact || n == 0 || n > longestLabel+1 || f.isOther(b) {
			continue
		}
		if strings.HasSuffix(f.Text(b), ":") || known.ofEither(f.text.of(b)) == f.kinds[i] || f.isTerm(b) {
			f.take(b, f.kinds[i])
		}
	}
}

// isTerm reports whether b is in a header cell or a term.
func (f *finder) isTerm(b page.BlockID) bool {
	for e, n := f.Page.Blocks[b].Element, 0; e > f.Page.Body && n < 3; e, n = f.Page.Elements[e].Parent, n+1 {
		switch f.Page.Elements[e].Tag {
		case atom.Dt, atom.Th:
			return true
		}
	}
	return false
}
