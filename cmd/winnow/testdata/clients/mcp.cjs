// Asks winnow for a page by the protocol's own SDK, and prints what it is told as JSON.
//
//   node mcp.cjs PAGE http URL [TOKEN]
//   node mcp.cjs PAGE stdio COMMAND ARG...
const { createRequire } = require('node:module')
const sdk = createRequire(process.env.WINNOW_CLIENTS + '/')
const { Client } = sdk('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = sdk('@modelcontextprotocol/sdk/client/stdio.js')
const { StreamableHTTPClientTransport } = sdk('@modelcontextprotocol/sdk/client/streamableHttp.js')

const [page, kind, target, ...rest] = process.argv.slice(2)

function connection() {
  if (kind === 'stdio') return new StdioClientTransport({ command: target, args: rest })
  const headers = rest.length ? { Authorization: `Bearer ${rest[0]}` } : {}
  return new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } })
}

async function main() {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(connection())
  const { tools } = await client.listTools()
  const read = await client.callTool({ name: 'read_page', arguments: { url: page } })
  const refused = await client.callTool({ name: 'read_page', arguments: { url: 'http://127.0.0.1:22/' } })
  console.log(JSON.stringify({ server: client.getServerVersion().name, tools: tools.map((t) => t.name), read, refused }))
  await client.close()
}

main().catch((err) => { console.error(err); process.exit(1) })
