import * as fc from 'fast-check'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { MarkdownView } from '../src/ui/markdown/markdown-view.tsx'
import { createMarkdownReader } from '../src/ui/markdown/read-markdown.ts'

const render = (text: string, isStreaming = false): string =>
  renderToStaticMarkup(createElement(MarkdownView, { text, isStreaming }))

/** Returns the text that a person sees. */
const visible = (text: string, isStreaming = false): string =>
  render(text, isStreaming)
    .replaceAll(/<[^>]*>/gu, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

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
      'https://example.com/x',
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
      '&#106;avascript:alert(1)',
      'java&Tab;script:alert(1)',
      'data:text/html,x',
      'mailto:a@b.c',
      '/api/runs',
      '//example.com',
      '#/runs',
    ])
      expect(visible(`[a](${url})`)).toContain(`[a](${url})`)
    for (const text of ['[a][r]\n\n[r]: javascript:alert(1)', '<javascript:alert(1)>', 'a@example.com'])
      expect(render(text)).not.toContain('<a')
  })

  it('an image is a link, and is not loaded', () => {
    for (const text of [
      '![a boat](https://example.com/x.png)',
      '![a boat][r]\n\n[r]: https://example.com/x.png',
    ]) {
      expect(render(text)).not.toMatch(/<img|src=/u)
      expect(render(text)).toMatch(/<a href="https:\/\/example\.com\/x\.png".*a boat<\/a>/u)
    }
    expect(visible('![x](data:image/png;base64,AA)')).toBe('![x](data:image/png;base64,AA)')
  })

  it('a footnote is numbered and moves the focus with a button, because an anchor would be a view of the page', () => {
    const html = render('One[^b], two[^a] and none[^c].\n\n[^a]: The **first**.\n[^b]: The second.')
    expect(html).not.toContain('href')
    expect(html).toMatch(/aria-label="Footnote 1"[^>]*>1<.*aria-label="Footnote 2"[^>]*>2<.*none\[\^c\]/u)
    expect(html).toMatch(/<ol aria-label="Footnotes".*The second\..*<strong[^>]*>first</u)
  })

  it('tables, tasks, lists, quotes and code are rendered', () => {
    const html = render('3. x\n\n- [x] done\n- [ ] open\n\n> q\n\n```ts\nlet <a>\n```\n\n~~gone~~')
    for (const part of [
      '<ol dir="ltr" start="3"',
      'aria-label="Done"',
      'aria-label="Not done"',
      '<blockquote',
      'let &lt;a&gt;',
      '<del>gone',
    ])
      expect(html).toContain(part)
    const table = render('|a|b|c|\n|:-|:-:|-:|\n|1|2 <br> 3|4|')
    expect(table.match(/<td[^>]*text-(?:left|center|right)/gu)).toHaveLength(3)
    expect(table).toContain('2 <br/> 3')
  })

  it('character references are decoded in text and links, but not in code', () => {
    expect(render('&copy; &#8364; &#x1F6A2; &nope; `&copy;`')).toContain('© € 🚢 &amp;nope; ')
    expect(render('`&copy;`')).toContain('&amp;copy;')
    expect(render('[a](https://example.com/?a=1&amp;b=2)')).toContain(
      'href="https://example.com/?a=1&amp;b=2"',
    )
  })

  it('formulas are recognized, and prices are not', () => {
    const tex = (text: string): readonly string[] =>
      [...render(text).matchAll(/<code class="font-mono[^>]*>([^<]*)<\/code><\/span>/gu)].map(
        ([, found]) => found ?? '',
      )
    expect(tex('$a+b$ and \\(c\\), then\n\n$$\nx^2\n$$\n\n\\[y\\]')).toEqual(['a+b', 'c', 'x^2', 'y'])
    for (const text of ['It costs $5 and $10.', '$HOME and $PATH', '`$a$`', 'a $5-$10 range', '\\$a\\$'])
      expect(tex(text)).toEqual([])
  })

  it('text from right to left is aligned by its own direction, in paragraphs, lists and tables', () => {
    expect(render('مرحبا')).toContain('<p dir="auto"')
    expect(render('- مرحبا\n- two')).toContain('<ul dir="rtl"')
    expect(render('1. שלום')).toContain('<ol dir="rtl"')
    expect(render('|مرحبا|b|\n|-|-|\n|1|2|')).toContain('<table dir="rtl"')
    expect(render('> שלום')).toContain('<blockquote dir="rtl"')
    expect(render('- one\n- שלום')).toContain('<ul dir="ltr"')
  })

  it('headings start below those of the page and leave out no level', () => {
    const levels = [...render('## a\n\n#### b\n\n# c\n\n###### d').matchAll(/<h(\d)/gu)].map(
      ([, level]) => level,
    )
    expect(levels).toEqual(['3', '4', '3', '4'])
  })

  it('a text that is too long or nested too deeply is shown as code', () => {
    for (const text of [
      '*a* '.repeat(60_000),
      '>'.repeat(40_000),
      '+ '.repeat(20_000),
      Array.from({ length: 70 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n'),
    ])
      expect(render(text)).toMatch(/^<div[^>]*><div[^>]*><span[^>]*>text</u)
  })

  it('hostile texts are parsed in bounded time', () => {
    for (const piece of [
      '[',
      '![',
      '*',
      '_',
      '`',
      '~',
      '<',
      '&',
      '|',
      '$',
      '\\(',
      '\\[',
      '[^',
      '**a ',
      '[a](',
      '|a\n',
      '- a\n',
      '> a\n',
      '[^a]: b\n',
      '# a\n',
      '<b>',
      'a\n\n',
      '$a',
      '*a_',
      '[[a]',
    ])
      for (const isStreaming of [false, true])
        expect(() => createMarkdownReader()(piece.repeat(20_000 / piece.length), isStreaming)).not.toThrow()
  })
})

const PIECES = [
  '# Title\n\n',
  'A **bold** and *slanted* `word` with ~~gone~~.\n\n',
  '- one\n- two **b**\n  - three\n\n',
  '1. one\n\n   more\n2. two\n\n',
  '- [x] done\n- [ ] open\n\n',
  '| a | b |\n|:--|--:|\n| 1 | **2** |\n\n',
  '```ts title="a.ts"\nconst a = `b`\n\n- no list\n```\n\n',
  '~~~\nplain\n~~~\n\n',
  '> quote\n> more\n\n',
  'A [link](https://example.com/a_b) and ![picture](https://example.com/x.png).\n\n',
  'Text[^1].\n\n[^1]: A note.\n\n',
  'A formula $$x^2$$ and\n\n$$\n\\sum_i x_i\n$$\n\n',
  '---\n\n',
  'مرحبا **بك**\n\n',
  'Plain\nwith a break\n\n',
  '<b>html</b>\n\n',
]
const document = fc
  .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 6 })
  .map((pieces) => pieces.join(''))

describe('Markdown that is being written', () => {
  it('no beginning of a text shows fences, marks, table rules or half links', () => {
    fc.assert(
      fc.property(document, fc.nat(), (text, cut) => {
        const shown = visible(text.slice(0, cut % (text.length + 1)), true)
        expect(shown).not.toMatch(/```|~~|\*\*|\]\(|\[\^|\|[ \t]*[:-]|^[ \t]*\|/mu)
      }),
      { numRuns: 300 },
    )
  })

  it('a text that grew piece by piece looks like the same text at once', () => {
    fc.assert(
      fc.property(document, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (text, steps) => {
        const read = createMarkdownReader()
        let end = 0
        for (let step = 0; end < text.length; step += 1) {
          end += steps[step % steps.length] ?? 1
          const part = text.slice(0, end)
          expect(read(part, true)).toEqual(createMarkdownReader()(part, true))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('any text at all is rendered', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...'`*_~[](){}|!<>#-+:.$\\^ \n\t1a"&;'.split('')), { maxLength: 80 }),
        (characters) => {
          const text = characters.join('')
          expect(() => [render(text, true), render(text)]).not.toThrow()
        },
      ),
      { numRuns: 500 },
    )
  })

  it('the beginning of a long text is parsed once', () => {
    const read = createMarkdownReader()
    const text = 'A paragraph of some words.\n\n'.repeat(200)
    const first = read(text, true)?.blocks
    const second = read(`${text}More`, true)?.blocks
    expect(second?.slice(0, 300).every((block, index) => block === first?.[index])).toBe(true)
  })

  it('a reference without a definition is a number until the text is complete', () => {
    expect(visible('Text[^1]', true)).toBe('Text1')
    expect(visible('Text[^1]')).toBe('Text[^1]')
  })
})
