// What all sites show: the parts of a template, and pages with text of their own.
const nouns = 'field river stone winter harvest lantern orchard market bridge copper garden weather letter kettle meadow harbour pencil mirror ladder carpet'.split(' ')
let seed = 7
const words = (n) => Array.from({ length: n }, () => nouns[(seed = (seed * 48271) % 2147483647) % nouns.length]).join(' ')

export const menu = ['Garden plans', 'Seed exchange', 'Planting calendar', 'Members', 'About us']
export const related = ['How to build a cold frame', 'Ten plants for a shady wall', 'What to sow in October', 'Our visit to the orchard', 'Tools that last']
export const footer = 'Copyright Kettle Almanac. All rights reserved. Imprint. Privacy. Terms of use.'
export const cookies = 'We use cookies to make this site work and to count its visitors.'
export const pages = Array.from({ length: 14 }, (_, i) => ({ slug: 'page' + (i + 1), next: 'page' + ((i + 1) % 14 + 1), title: words(3), text: [words(50) + '.', words(60) + '.', words(45) + '.'] }))
export const pageOf = (slug) => pages.find((p) => p.slug === slug) ?? pages[0]
