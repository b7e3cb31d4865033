import '../site.css'
import { Frame } from '../parts/frame'

export default function App({ Component, pageProps }) {
  return <Frame base={pageProps.base ?? 'pages'}><Component {...pageProps} /></Frame>
}
