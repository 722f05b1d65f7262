import type { RunLabel } from '@troupe/client'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { LabelControls } from '../src/runs/label-buttons.tsx'

const render = (label: RunLabel | undefined): string =>
  renderToStaticMarkup(createElement(LabelControls, { label, isBusy: false, onChange: () => undefined }))

describe('label buttons', () => {
  it('the button of the current label is pressed, and its note is shown', () => {
    const html = render({ value: 'down', note: 'Wrong <day>' })
    expect(html).toMatch(/aria-label="Good answer"[^>]*aria-pressed="false"/u)
    expect(html).toMatch(/aria-label="Bad answer"[^>]*aria-pressed="true"/u)
    expect(html).toContain('Wrong &lt;day&gt;')
  })

  it('a run without a label has two buttons, none of them pressed, and no note', () => {
    const html = render(undefined)
    expect(html.match(/aria-pressed="false"/gu)).toHaveLength(2)
    expect(html).not.toContain('note')
  })
})
