import '../site.css'
import { Frame } from '../parts/frame'

export const metadata = { title: 'Kettle Almanac' }

export default function Layout({ children }) {
  return <html lang="en"><body><Frame base="app">{children}</Frame></body></html>
}
