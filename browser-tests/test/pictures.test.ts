import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { goToPlace, placesOf } from './support/places.ts'
import { serveTeam } from './support/served-team.ts'

const FOLDER = join(import.meta.dirname, '../pictures')

/** To be looked at; they lie in `pictures/` afterwards. */
describe.skipIf(CHROMIUM === undefined)(`pictures of every place${CHROMIUM_NOTE}`, () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      it(`are taken at ${width} pixels in the ${colorScheme}`, async () => {
        const team = await serveTeam()
        const height = width === 390 ? 844 : 800
        const page = await openPage(team.url, {
          colorScheme,
          viewport: { width, height },
          reducedMotion: 'reduce',
        })
        for (const place of await placesOf(team)) {
          await goToPlace(page, team.url, place)
          const name = place[0].replaceAll(/run_[^/]+/gu, 'run').replaceAll(/[^a-z_]+/giu, '-')
          const picture = await page.screenshot({
            path: join(FOLDER, `${name.slice(1)}-${width}-${colorScheme}.png`),
          })
          expect(picture.length).toBeGreaterThan(1000)
        }
      })
})
