import { hydrate } from 'solid-js/web'
import { App } from './app.jsx'

hydrate(() => <App slug={location.pathname.slice(1).replace('.html', '')} />, document.getElementById('kettle'))
