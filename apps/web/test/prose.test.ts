import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Prose } from '../src/ui/prose.tsx'

const render = (text: string): string => renderToStaticMarkup(createElement(Prose, { text }))

describe('Markdown of a model', () => {
  it('HTML in Markdown is shown as text, in blocks and inline, and never becomes an element', () => {
    const html = render(
      '<script>alert(1)</script>\n\nA <b onclick="x()">word</b>.\n\n- <img src=x>\n\n|a|\n|-|\n|<i>x</i>|',
    )
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(html).toContain('&lt;b onclick=&quot;x()&quot;&gt;word&lt;/b&gt;')
    expect(html).not.toMatch(/<(?:script|b|img|i)[\s>]/u)
  })

  it('a link to the web opens in a new tab without a referrer', () => {
    for (const text of [
      '[a](https://example.com/x)',
      '<https://example.com/x>',
      '[a][r]\n\n[r]: https://example.com/x',
    ])
      expect(render(text)).toMatch(
        /<a href="https:\/\/example\.com\/x" target="_blank" rel="noreferrer noopener"/u,
      )
  })

  it('a link to anything else is shown as its source or its words', () => {
    for (const url of [
      'javascript:alert(1)',
      'JaVaScript:alert(1)',
      'data:text/html,x',
      'mailto:a@b.c',
      '/api/runs',
      '#/runs',
    ])
      expect(render(`[a](${url})`)).toContain(`[a](${url})`)
    for (const text of ['[a][r]\n\n[r]: javascript:alert(1)', '<javascript:alert(1)>', 'a@example.com'])
      expect(render(text)).not.toContain('<a')
  })

  it('images are not loaded', () => {
    expect(render('![a boat](https://example.com/x.png)')).toContain('[a boat](https://example.com/x.png)')
    expect(render('![a][r]\n\n[r]: https://example.com/x.png')).not.toContain('<img')
  })

  it('a footnote is not a link, because its anchor would be a route of the page', () => {
    const html = render('Text[^1].\n\n[^1]: The note.')
    expect(html).toContain('Text[^1].')
    expect(html).toContain('[^1]: The note.')
    expect(html).not.toMatch(/href|<h2/u)
  })

  it('tables, tasks, lists, quotes and code are rendered', () => {
    const html = render('|a|\n|-|\n|1|\n\n3. x\n\n- [x] done\n\n> q\n\n```ts\nlet <a>\n```\n\n~~gone~~')
    for (const part of [
      '<td',
      '<ol start="3"',
      '[x] done</p></li>',
      '<blockquote',
      'let &lt;a&gt;',
      '<del>gone',
    ])
      expect(html).toContain(part)
  })

  it('a text that is too long or nested too deeply is shown as code', () => {
    for (const text of [
      '*a* '.repeat(60_000),
      '>'.repeat(40_000),
      '+ '.repeat(20_000),
      Array.from({ length: 60 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n'),
    ])
      expect(render(text)).toMatch(/^<div[^>]*><pre/u)
  })
})
