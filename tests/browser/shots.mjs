// Opens pages in a headless Chromium, and prints what it saw as one line of JSON for each line of JSON on standard input:
// {file, width, height, dark, look, picture, film, check}. `file` may be an address, whose own requests are no faults. `look` is
// JavaScript whose value is printed as `found`. `film` is {folder, every}: a picture every so many milliseconds meanwhile.
// With `check`, `barriers` are what axe-core finds that keeps a person from using the page.
import { createInterface } from 'node:readline'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import path from 'node:path'

const modules = createRequire(path.join(process.argv[2], 'x.js'))
const load = async (name) => (await import(pathToFileURL(modules.resolve(name)).href)).default
const chromium = await load('@sparticuz/chromium')
const puppeteer = await load('puppeteer-core')
const axe = await load('axe-core')
// the package turns off what keeps pages of two origins apart
const unsafe = /^--(disable-web-security|disable-site-isolation-trials|allow-running-insecure-content)/
const browser = await puppeteer.launch({
  args: chromium.args.filter((each) => !unsafe.test(each)), executablePath: await chromium.executablePath(), headless: 'shell', pipe: true
})
for await (const line of createInterface({ input: process.stdin })) {
  const { file, width, height = 900, dark = false, look = 'null', picture, film, check } = JSON.parse(line)
  const address = file.startsWith('http://') ? new URL(file) : pathToFileURL(file)
  const own = (url) => file.startsWith('http://') ? new URL(url).origin === address.origin : url === address.href
  const page = await browser.newPage()
  const faults = []
  page.on('console', (said) => { if (said.type() === 'error') faults.push(said.text()) })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); dialog.dismiss() })
  page.on('request', (request) => { if (!own(request.url())) faults.push(`loads ${request.url()}`) })
  await page.setViewport({ width, height })
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }])
  await page.goto(address.href)
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  const back = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  let ended = false
  const looking = page.evaluate(look).catch(String).finally(() => { ended = true })
  for (let frame = 0; film && !ended; frame += 1) {
    await page.screenshot({ path: path.join(film.folder, `${String(frame).padStart(4, '0')}.png`) })
    await new Promise((resolve) => setTimeout(resolve, film.every))
  }
  const found = await looking
  let barriers = []
  if (check) {
    await page.evaluate(axe.source)
    barriers = await page.evaluate(async () => (await axe.run()).violations.flatMap(
      ({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}`)
    ))
  }
  if (picture) await page.screenshot({ path: picture, clip: { x: 0, y: 0, width, height } })
  await page.close()
  console.log(JSON.stringify({ wide, back, found, faults, barriers }))
}
await browser.close()
