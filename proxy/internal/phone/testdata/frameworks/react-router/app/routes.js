import { route } from '@react-router/dev/routes'

export default [route(':slug', 'page.jsx')]
