import { renderToString } from '@builder.io/qwik/server'
import Root from './root'

export default (options) => renderToString(<Root slug={options.slug} />, { containerTagName: 'html', ...options })
