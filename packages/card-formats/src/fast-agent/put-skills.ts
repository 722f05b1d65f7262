import { dirname, join, relative, sep } from 'node:path'
import type { Json } from '@troupe/schema'
import { textList, type FieldContext, type FieldOutcome, type RawCard } from '@troupe/cards/formats'
import { mappingOf } from '../rules/field-rule.ts'
import { projectOf, SETTINGS_WITHOUT_FILE } from './project.ts'

const DEFAULT_FOLDERS: readonly string[] = ['.fast-agent/skills', '.agents/skills', '.claude/skills']

/** Applies the rule for `skills`: folders relative to the folder that fast-agent is started in. */
export function putSkills(value: Json, { rewriter, card, from }: FieldContext): FieldOutcome {
  const folders = textList(value, from)
  rewriter.put(['skills'], folders?.map(({ text }) => skillFolder(text, card)) ?? value, from)
  return undefined
}

/** Adds the skills that fast-agent gives an agent whose card does not mention them. */
export function putDefaultSkills({ rewriter, card }: FieldContext): void {
  const { settings, root, file } = projectOf(card)
  const configured = textList(mappingOf(settings['skills'])['directories'] ?? [], []) ?? []
  const folders = configured.length === 0 ? DEFAULT_FOLDERS : configured.map(({ text }) => text)
  const found = folders.filter((folder) => holdsSkills(join(root, folder), card))
  if (found.length === 0) return
  rewriter.put(
    ['skills'],
    found.map((folder) => pathFrom(card, join(root, folder))),
    ['skills'],
  )
  rewriter.note({
    key:
      configured.length === 0 ? '(no skills)' : `${file?.name ?? SETTINGS_WITHOUT_FILE}: skills.directories`,
    status: 'translated',
    to: 'skills',
    reason: `all skills in ${found.join(', ')}`,
  })
}

function skillFolder(folder: string, card: RawCard): string {
  const { root } = projectOf(card)
  const isBesideCard = (card.listFiles?.(join(root, folder)).length ?? 0) === 0
  return isBesideCard ? folder : pathFrom(card, join(root, folder))
}

function holdsSkills(folder: string, { listFiles }: RawCard): boolean {
  const names = listFiles?.(folder) ?? []
  return names.some((name) => listFiles?.(join(folder, name)).includes('SKILL.md') === true)
}

function pathFrom({ path }: RawCard, folder: string): string {
  const way = relative(dirname(path), folder).split(sep).join('/')
  return way === '' ? '.' : way
}
