// Prints Lighthouse's rating of the accessibility of pages as JSON. Arguments: the rules by which the browser finds
// hosts, then addresses. CHROME_PATH names the browser. Pages of winnow's own load nothing late, so that there is
// nothing to wait for.
import { launch } from 'chrome-launcher'
import lighthouse from 'lighthouse'

// A timer of Lighthouse can ask a page again after it was closed, and nobody waits for the answer. An error of the rating
// itself is thrown where it is awaited, below.
process.on('unhandledRejection', error => console.error(error))

const [hosts, ...urls] = process.argv.slice(2)
const chrome = await launch({ logLevel: 'error', chromeFlags: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--host-resolver-rules=' + hosts] })
try {
  const ratings = []
  for (const url of urls) ratings.push(await rate(url))
  console.log(JSON.stringify(ratings))
} finally {
  chrome.kill()
}

async function rate(url) {
  const { lhr } = await lighthouse(url, { port: chrome.port, onlyCategories: ['accessibility'], logLevel: 'error', ignoreStatusCode: true, maxWaitForLoad: 15000,
    pauseAfterFcpMs: 0, pauseAfterLoadMs: 0, networkQuietThresholdMs: 0, cpuQuietThresholdMs: 0 })
  const audits = Object.values(lhr.audits).filter(audit => audit.score !== null)
  const failed = audits.filter(audit => audit.score < 1).map(audit => audit.id + ' (' + (audit.details?.items ?? []).map(item => item.node?.snippet).join(', ') + ')')
  if (lhr.runtimeError) failed.push(lhr.runtimeError.message)
  return { url, score: lhr.categories.accessibility.score ?? 0, audits: audits.length, failed }
}
