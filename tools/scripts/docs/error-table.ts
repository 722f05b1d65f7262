import { ERRORS, FAILURE_CLASSES, type ErrorCode } from '../../../packages/schema/src/errors/error-table.ts'

const START = '<!-- errors:start -->'
const END = '<!-- errors:end -->'

/** Returns the page with the table of all error codes between its two markers. */
export function withErrorTable(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start === -1 || end < start) throw new Error(`The page has no ${START} … ${END}.`)
  return `${page.slice(0, start + START.length)}\n\n${errorTable()}\n\n${page.slice(end)}`
}

function errorTable(): string {
  const codes = Object.keys(ERRORS) as ErrorCode[]
  return FAILURE_CLASSES.map((name) => {
    const rows = codes.filter((code) => ERRORS[code].class === name).map(row)
    return [`### ${name}`, '', '| code | what happened | what to do |', '|---|---|---|', ...rows].join('\n')
  }).join('\n\n')
}

function row(code: ErrorCode): string {
  const { title, fix } = ERRORS[code]
  return `| \`${code}\` | ${cell(title)} | ${cell(fix)} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
