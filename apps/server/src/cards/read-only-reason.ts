import type { ServedHost } from '../server-options.ts'

/** Returns the reason why a card cannot be edited over HTTP, or `undefined` if it can. */
export function readOnlyReason(
  { kind, path }: ReturnType<ServedHost['definition']>['source'],
  { cards }: Pick<ReturnType<ServedHost['plan']>, 'cards'>,
): string | undefined {
  if (kind === 'url') return 'The card comes from an address: save it as a file to edit it.'
  if (kind === 'code') return 'The agent is defined in code: its tools are changed there.'
  const ofFile = cards.filter(({ file }) => file === path)
  if (ofFile.length > 1) return 'The file holds several agents: its tools are changed there.'
  const dialect = ofFile[0]?.dialect ?? 'troupe'
  return dialect === 'troupe' ? undefined : `The card is written for ${dialect}: its tools are changed there.`
}
