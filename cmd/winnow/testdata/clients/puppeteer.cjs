// Reads pages through a proxy with Chromium:  node puppeteer.cjs PROXY PROFILE PAGE...
const { createRequire } = require('node:module')
const puppeteer = createRequire(process.env.WINNOW_CLIENTS + '/')('puppeteer-core')

const [proxy, userDataDir, ...pages] = process.argv.slice(2)

async function main() {
  const browser = await puppeteer.launch({
    executablePath: '/usr/bin/chromium',
    userDataDir,
    acceptInsecureCerts: true, // or add winnow's CA to the profile's trust store: docs/https.md
    args: [`--proxy-server=${proxy}`, '--proxy-bypass-list=<-loopback>', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
  try {
    const tab = await browser.newPage()
    const texts = []
    for (const page of pages) {
      await tab.goto(page)
      texts.push(await tab.evaluate(() => document.body.innerText))
    }
    console.log(texts.join('====='))
  } finally {
    await browser.close()
  }
}

main().catch((err) => { console.error(err); process.exit(1) })
