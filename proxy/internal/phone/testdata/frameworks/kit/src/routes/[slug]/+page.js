import { pageOf, pages } from '../../../site.mjs'

export const entries = () => pages.map(({ slug }) => ({ slug }))
export const load = ({ params }) => ({ page: pageOf(params.slug) })
