import { escapeSlack } from './escape-slack.ts'

const FENCE = /^\s*```/u
const LINK = /!?\[(?<label>[^\]\n]{0,300})\]\((?<url>https?:\/\/[^\s)<>|]{1,2000})\)/gu
const CODE = /`[^`\n]+`/gu

/** Markdown in the words of Slack's own `mrkdwn`, for where blocks do not take Markdown: headings and `**` are bold, links are `<url|label>`. Code stays as it is. */
export function toMrkdwn(markdown: string): string {
  let inFence = false
  return markdown
    .split('\n')
    .map((line) => {
      if (!FENCE.test(line)) return inFence ? escapeSlack(line, { atLineStart: false }) : toLine(line)
      inFence = !inFence
      return '```'
    })
    .join('\n')
}

function toLine(line: string): string {
  const parts: string[] = []
  let end = 0
  for (const code of line.matchAll(CODE)) {
    parts.push(toWords(line.slice(end, code.index), end === 0))
    parts.push(escapeSlack(code[0], { atLineStart: false }))
    end = code.index + code[0].length
  }
  parts.push(toWords(line.slice(end), end === 0))
  const text = parts.join('')
  const heading = /^#{1,6} +(?<title>.+?)(?: +#+)?$/u.exec(text)?.groups?.['title']
  return heading === undefined ? text : `*${heading.replaceAll('*', '')}*`
}

function toWords(text: string, atLineStart: boolean): string {
  let words = ''
  let end = 0
  for (const link of text.matchAll(LINK)) {
    words += toStyle(text.slice(end, link.index), atLineStart && end === 0)
    const { label = '', url = '' } = link.groups ?? {}
    words += `<${escapeSlack(url)}|${escapeSlack(label || url, { atLineStart: false })}>`
    end = link.index + link[0].length
  }
  return words + toStyle(text.slice(end), atLineStart && end === 0)
}

function toStyle(text: string, atLineStart: boolean): string {
  const bullets = atLineStart ? text.replace(/^(?<indent>\s*)[*+-] +/u, '$<indent>• ') : text
  const struck = bullets.replaceAll(/~~(?<words>[^~\n]+)~~/gu, '~$<words>~')
  // a single `*` is emphasis in Markdown, and bold in Slack
  const emphasised = struck.replaceAll(
    /(?<![*\w])\*(?<words>[^*\s](?:[^*\n]*[^*\s])?)\*(?![*\w])/gu,
    '_$<words>_',
  )
  const bold = emphasised.replaceAll(/\*\*(?<words>[^*\n]+)\*\*/gu, '*$<words>*')
  return escapeSlack(bold, { atLineStart })
}
