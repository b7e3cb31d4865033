package blend

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// tongue has the text of pages in one language: sentences with slots, words for the slots, and the labels of a
// template.
type tongue struct {
	lang, dir string
	// sentences have the slots %T thing, %P place, %N name, %A a describing word and %D a number.
	sentences []string
	things    []string
	places    []string
	names     []string
	describe  []string
	joint     string
	// labels of the template, in the order of the label constants.
	labels []string
}

// The labels of a template.
const (
	labelSite = iota
	labelHome
	labelNews
	labelTravel
	labelHistory
	labelAbout
	labelSearch
	labelRelated
	labelShare
	labelNewsletter
	labelRights
	labelPrivacy
	labelContact
	labelBy
	labelMore
)

func (t tongue) label(i int) string { return t.labels[i] }

// title is a headline.
func (t tongue) title(r *rand.Rand) string {
	return strings.Join([]string{pick(r, t.describe), pick(r, t.things), pick(r, t.places)}, t.joint) + t.joint + fmt.Sprint(1000+r.IntN(9000))
}

// paragraph is a few sentences.
func (t tongue) paragraph(r *rand.Rand) string {
	var b strings.Builder
	for i := range 2 + r.IntN(4) {
		if i > 0 {
			b.WriteString(t.joint)
		}
		b.WriteString(t.sentence(r))
	}
	return b.String()
}

func (t tongue) sentence(r *rand.Rand) string {
	var b strings.Builder
	s := pick(r, t.sentences)
	for {
		before, after, ok := strings.Cut(s, "%")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		switch after[0] {
		case 'T':
			b.WriteString(pick(r, t.things))
		case 'P':
			b.WriteString(pick(r, t.places))
		case 'N':
			b.WriteString(pick(r, t.names))
		case 'A':
			b.WriteString(pick(r, t.describe))
		case 'D':
			fmt.Fprint(&b, 2+r.IntN(1900))
		}
		s = after[1:]
	}
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

func list(s string) []string { return strings.Split(s, "|") }

func english() tongue {
	return tongue{lang: "en", dir: "ltr", joint: " ",
		sentences: list("When %N came to %P for the first time, there was nothing but a %A %T and %D people who argued about it.|" +
			"The %T had been built by %N, who never saw it finished.|In the spring of that year the council of %P voted, by a margin of %D, to keep the %T where it was.|" +
			"Nobody could explain why a %A %T should cost more than %D shillings.|“We had no choice,” %N wrote later, “for the %T was older than %P itself.”|" +
			"It is said that %D carts were needed to bring the %T over the pass, and that half of them were lost near %P.|" +
			"A %A winter followed, and the %T froze.|What remained of it was sold to a trader from %P, who paid in %A coins and left before dawn.|" +
			"Even today visitors ask for the %T, although %N had it moved %D years ago.|The letters between %N and %N fill %D pages, and most of them speak of a single %T.|" +
			"Its walls are %D feet high, %A and overgrown.|Engineers from %P measured the %T twice, found it %A, and went home.|" +
			"Only %N remembered that the %T once belonged to a family of bakers.|There is a %A reason for that, as everybody in %P will tell you over soup."),
		things:   list("bridge|lighthouse|clock tower|ferry|orchard|windmill|printing press|harbour wall|viaduct|observatory|bell|canal lock|tannery|post road|reservoir|chapel organ|salt store|toll gate"),
		places:   list("Hallowmere|Brinsted|Castor Head|Ulverdale|Saint Orrin|Westerfold|Maplin|Thornwick|Greyport|Ostrava Lane|Kelby|Dunmarrow"),
		names:    list("Edith Marlow|Tobias Renn|Agnes Holt|Piers Lacey|Ingrid Solheim|Jonah Crewe|Maud Tresker|Silas Arden|Beatrix Noll|Walter Quince"),
		describe: list("crooked|forgotten|narrow|copper|restless|splendid|muddy|costly|leaning|silent|hasty|weathered"),
		labels: list("The Kettle and Compass|Front page|News of the week|Travel and places|History|About us|Search|Most read this week|Share this page|Sign up for our newsletter and get a story every Sunday|" +
			"© 2024 The Kettle and Compass. All rights reserved. Reproduction in part or in whole without permission is forbidden.|Privacy policy|Contact|By|Read more")}
}

func arabic() tongue {
	return tongue{lang: "ar", dir: "rtl", joint: " ",
		sentences: list("وصل %N إلى %P للمرة الأولى ولم يجد هناك سوى %T %A و%D من الناس يتجادلون حوله.|كان %T قد بني على يد %N الذي لم يره مكتملا قط.|" +
			"صوت مجلس %P في ربيع ذلك العام بفارق %D صوتا على إبقاء %T في مكانه.|لم يستطع أحد أن يفسر لماذا يكلف %T %A أكثر من %D دينارا.|" +
			"يقال إن نقل %T احتاج إلى %D عربة ضاع نصفها قرب %P.|ثم جاء شتاء %A وتجمد كل شيء حول %T.|كتب %N إلى %N أن %T أقدم من %P نفسها.|" +
			"ما زال الزوار يسألون عن %T حتى اليوم رغم أن %N نقله قبل %D سنة.|قاس مهندسون من %P %T مرتين فوجدوه %A وعادوا إلى بيوتهم."),
		things: list("الجسر|المنارة|البرج|القارب|البستان|الطاحونة|المطبعة|السور|القناة|المرصد|الجرس|السوق القديم"), places: list("الزهراء|وادي النخيل|المرسى|عين الحجر|قصر الريح|تل السنديان|بئر العسل|الضفة"),
		names: list("سليم الحداد|ليلى منصور|يوسف الكاتب|مريم الصايغ|حسان النجار|نادية البحري|طارق الراوي"), describe: list("مائل|منسي|ضيق|نحاسي|هادئ|رائع|موحل|باهظ|صامت|قديم"),
		labels: list("مجلة الإبريق والبوصلة|الصفحة الرئيسية|أخبار الأسبوع|سفر وأماكن|تاريخ|من نحن|بحث|الأكثر قراءة هذا الأسبوع|شارك هذه الصفحة|اشترك في نشرتنا البريدية لتصلك قصة كل يوم أحد|" +
			"© 2024 مجلة الإبريق والبوصلة. جميع الحقوق محفوظة ولا يجوز النشر دون إذن مكتوب.|سياسة الخصوصية|اتصل بنا|بقلم|اقرأ المزيد")}
}

func hebrew() tongue {
	return tongue{lang: "he", dir: "rtl", joint: " ",
		sentences: list("כאשר הגיע %N אל %P בפעם הראשונה לא היה שם אלא %T %A ועוד %D אנשים שהתווכחו עליו.|את %T בנה %N שלא זכה לראות אותו גמור.|" +
			"באביב של אותה שנה הצביעה מועצת %P ברוב של %D קולות להשאיר את %T במקומו.|איש לא ידע להסביר מדוע %T %A עולה יותר מ %D שקלים.|" +
			"מספרים שנדרשו %D עגלות כדי להביא את %T ושמחציתן אבדו ליד %P.|אחר כך בא חורף %A והכול קפא סביב %T.|%N כתב אל %N כי %T עתיק יותר מאשר %P עצמה.|" +
			"גם היום שואלים המבקרים על %T אף שכבר לפני %D שנים העביר אותו %N.|מהנדסים מן %P מדדו את %T פעמיים ומצאו אותו %A."),
		things: list("הגשר|המגדלור|מגדל השעון|המעבורת|הפרדס|טחנת הרוח|בית הדפוס|החומה|התעלה|המצפה|הפעמון|השוק הישן"), places: list("גבעת האורן|נחל הצבי|חוף השחף|עין השקד|מעלה הרוח|בקעת הדבש|תל הזית"),
		names: list("יוסף לביא|מרים שקד|דוד ארבל|רחל נבון|אליהו שחר|תמר גלעד"), describe: list("עקום|נשכח|צר|שקט|נהדר|בוצי|יקר|ישן|דומם"),
		labels: list("הקומקום והמצפן|דף הבית|חדשות השבוע|מסעות ומקומות|היסטוריה|אודות|חיפוש|הנקראות ביותר השבוע|שתפו את הדף|הירשמו לידיעון שלנו וקבלו סיפור בכל יום ראשון|" +
			"© 2024 הקומקום והמצפן. כל הזכויות שמורות ואין להעתיק ללא רשות בכתב.|מדיניות פרטיות|צור קשר|מאת|קרא עוד")}
}

func chinese() tongue {
	return tongue{lang: "zh", dir: "ltr", joint: "",
		sentences: list("%N第一次来到%P的时候，那里只有一座%A的%T和%D个争论不休的人。|这座%T是%N建造的，可惜他没能看到它完工。|那年春天，%P的议会以%D票的优势决定保留%T。|" +
			"没有人能解释为什么一座%A的%T要花费%D两银子。|据说运送%T用了%D辆马车，其中一半在%P附近丢失了。|接着是一个%A的冬天，%T周围的一切都结了冰。|%N在给%N的信中写道，%T比%P还要古老。|" +
			"直到今天游客们还在打听%T，虽然%N在%D年前就把它搬走了。|来自%P的工程师把%T量了两遍，觉得它%A，就回家去了。"),
		things: list("石桥|灯塔|钟楼|渡船|果园|风车|印刷所|城墙|运河|天文台|古钟|盐仓|驿道"), places: list("青石镇|柳河湾|白鹭洲|云台山|南屏村|金沙渡|竹溪县|望海角"),
		names: list("陈文远|林若水|赵明德|苏晚晴|周子安|吴长风|郑书瑶"), describe: list("歪斜|被遗忘|狭窄|安静|华丽|泥泞|昂贵|古旧|沉默|匆忙"),
		labels: list("茶壶与罗盘|首页|本周新闻|旅行与地方|历史|关于我们|搜索|本周热门|分享本页|订阅我们的通讯，每个星期天收到一个故事|版权所有 © 2024 茶壶与罗盘，未经书面许可不得转载。|隐私政策|联系我们|作者|阅读全文")}
}

func japanese() tongue {
	return tongue{lang: "ja", dir: "ltr", joint: "",
		sentences: list("%Nが初めて%Pを訪れたとき、そこには%A%Tと%D人の言い争う人々がいるだけだった。|この%Tを建てたのは%Nだが、完成を見ることはなかった。|その年の春、%Pの議会は%D票差で%Tを残すことに決めた。|" +
			"なぜ%A%Tに%D円もかかるのか、誰にも説明できなかった。|%Tを運ぶには%D台の荷車が要り、その半分は%Pの近くで失われたという。|やがて%A冬が来て、%Tのまわりはすべて凍りついた。|%Nは%Nへの手紙に、%Tは%Pよりも古いと書いている。|" +
			"今でも旅人は%Tのことを尋ねるが、%Nが%D年前に移してしまった。|%Pから来た技師たちは%Tを二度測り、満足して帰っていった。"),
		things: list("石橋|灯台|時計台|渡し船|果樹園|風車|印刷所|城壁|運河|天文台|鐘|塩蔵|街道"), places: list("青葉町|柳ヶ浦|白鷺島|雲見峠|南原村|金沢渡|竹田町|望海岬"),
		names: list("佐藤一郎|鈴木花子|高橋文男|田中美咲|伊藤健|山本百合"), describe: list("傾いた|忘れられた|狭い|静かな|見事な|ぬかるんだ|高価な|古びた|短い"),
		labels: list("やかんと羅針盤|ホーム|今週のニュース|旅と場所|歴史|このサイトについて|検索|今週の人気記事|このページを共有|メールマガジンに登録すると毎週日曜日に物語が届きます|© 2024 やかんと羅針盤 無断転載を禁じます。|プライバシーポリシー|お問い合わせ|文|続きを読む")}
}
