import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHROMIUM, CHROMIUM_NOTE } from './support/chromium.ts'
import { openPage } from './support/open-page.ts'
import { goToPlace, placesOf } from './support/places.ts'
import { serveTeam } from './support/served-team.ts'

const FOLDER = join(import.meta.dirname, '../pictures')

/** Writes screenshots to `pictures/` for review. The only assertion is that no view is wider than the screen. */
describe.skipIf(CHROMIUM === undefined)(`views at every size${CHROMIUM_NOTE}`, () => {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390])
      it(`every view fits at ${width} pixels in the ${colorScheme} theme`, async () => {
        const team = await serveTeam()
        const height = width === 390 ? 844 : 800
        const page = await openPage(team.url, {
          colorScheme,
          viewport: { width, height },
          reducedMotion: 'reduce',
        })
        const wide: string[] = []
        for (const place of await placesOf(team)) {
          await goToPlace(page, team.url, place)
          const drawn = await page.evaluate<number>('document.querySelector("main").scrollWidth')
          if (drawn > width) wide.push(`${place.name}: ${drawn}`)
          await page.screenshot({ path: join(FOLDER, `${place.name}-${width}-${colorScheme}.png`) })
        }
        expect(wide).toEqual([])
      }, 180_000)
})
