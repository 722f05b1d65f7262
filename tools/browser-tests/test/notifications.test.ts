import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { serveClerk } from './support/clerk-team.ts'
import { openPage } from './support/open-page.ts'

// Chromium without a screen closes notifications at once, so the worker keeps a list.
const KEEP = `{
  self.shown = []
  const { registration } = self
  registration.showNotification = async (title, { body, tag }) => void self.shown.push({ title, body, tag })
}`

describe.skipIf(CHROMIUM === undefined)(`notifications${CHROMIUM_NOTE}`, () => {
  it('the service worker shows messages of the server, and a general text for one that it cannot read', async () => {
    const { url } = await serveClerk()
    const page = await openPage(`${url}/#/approvals`, { permissions: ['notifications'] })
    const session = await page.context().newCDPSession(page)
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations
        if (first !== undefined) resolve(first.registrationId)
      })
    })
    await session.send('ServiceWorker.enable')
    const started = page.context().waitForEvent('serviceworker')
    await page.evaluate(
      "navigator.serviceWorker.register('sw.js').then(() => navigator.serviceWorker.ready).then(() => null)",
    )
    const worker = await started
    await worker.evaluate(KEEP)
    const registrationId = await registered
    const push = (data: string) =>
      session.send('ServiceWorker.deliverPushMessage', { origin: url, registrationId, data })
    const address = '#/runs/run_1'
    await push(JSON.stringify({ kind: 'approval', agent: 'Clerk', about: 'shell.execute', address }))
    await push('{"address": "https://evil.example"}')
    await expect
      .poll(() => worker.evaluate('self.shown'))
      .toEqual([
        { title: 'Approval needed', body: 'Clerk wants to call shell.execute', tag: address },
        { title: 'Approval needed', body: 'An agent wants to call a tool', tag: '#/approvals' },
      ])
  })
})
