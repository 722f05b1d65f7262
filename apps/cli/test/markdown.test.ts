import * as fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, it } from 'vitest'
import { createMarkdownStream, markdownLines } from '../src/reporter/markdown.ts'
import { createStyle } from '../src/terminal/terminal.ts'

const plain = { width: 40, style: createStyle(false) }
const colorful = { width: 40, style: createStyle(true) }

const DOCUMENT = `# Trip

Three days in **Rome**, see [the plan](https://rome.example) and \`cd /\`.

1. Colosseum
2. Forum
   - early
   - [x] with tickets

> Take water.

| place | price |
|---|---:|
| Forum | 16 |

\`\`\`sh
echo "a very long line of code that does not fit into forty columns"
\`\`\`

---

End.
`

describe('Markdown on a terminal', () => {
  it('Markdown is drawn block by block, with a blank line between blocks', () => {
    expect(markdownLines(DOCUMENT, plain)).toEqual([
      'Trip',
      '',
      'Three days in Rome, see the plan',
      '(https://rome.example) and `cd /`.',
      '',
      '1. Colosseum',
      '2. Forum',
      '   • early',
      '   • [x] with tickets',
      '',
      '│ Take water.',
      '',
      'place  price',
      'Forum     16',
      '',
      '  echo "a very long line of code that do',
      '  es not fit into forty columns"',
      '',
      '─'.repeat(40),
      '',
      'End.',
    ])
  })

  it('Markdown is drawn with colours if the terminal has them', () => {
    expect(markdownLines('**a** `b`', colorful)).toEqual(['\u001B[1ma\u001B[22m \u001B[36mb\u001B[39m'])
  })

  it('a Markdown table that is too wide is drawn with one line per cell', () => {
    const wide = `| name | what |\n|---|---|\n| a | ${'long '.repeat(8)}|\n| b | short |\n`
    expect(markdownLines(wide, plain)).toEqual([
      'name: a',
      'what: long long long long long long long',
      'long',
      '',
      'name: b',
      'what: short',
    ])
  })

  it('drawn Markdown contains no control characters and shows the target of a link', () => {
    expect(markdownLines('\u001B[2J[bank](https://evil.example) \u001B]0;title\u0007', plain)).toEqual([
      'bank (https://evil.example)',
    ])
  })

  it('Markdown drawn in pieces equals Markdown drawn at once, and drawn lines never change', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const stream = createMarkdownStream()
        const lines: string[] = []
        let at = 0
        for (const size of sizes) {
          lines.push(...stream.push(DOCUMENT.slice(at, at + size), plain))
          at += size
        }
        lines.push(...stream.push(DOCUMENT.slice(at), plain), ...stream.flush(plain))
        expect(lines).toEqual(markdownLines(DOCUMENT, plain))
      }),
    )
  })

  it('drawn Markdown is never wider than the limit, whatever the text is', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '# ',
            '- ',
            '1. ',
            '> ',
            '| a | b |\n|---|---|\n',
            '```\n',
            '*',
            '東京',
            'word',
            ' ',
            '\n',
            '\n\n',
            '[a](b)',
            '\u001B[1m',
          ),
          { maxLength: 40 },
        ),
        (parts) => {
          for (const line of markdownLines(parts.join(''), { width: 60, style: createStyle(true) }))
            expect(stringWidth(line)).toBeLessThanOrEqual(60)
        },
      ),
    )
  })
})
