import type { FieldsEdit } from './fields-edit.ts'

/** Writes JSON anew, with the old indentation. JSON has no comments to keep. */
export function editJson(text: string, { wanted }: FieldsEdit): readonly string[] {
  const indent = /^[ \t]+(?=")/mu.exec(text)?.[0] ?? (text.includes('\n') ? 2 : 0)
  const end = /\s*$/u.exec(text)?.[0] ?? ''
  const written = JSON.stringify(wanted, null, indent)
  return [(text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written) + end]
}
