import { isJsonObject, type Json, type JsonObject } from '@troupe/schema'
import { refuse, type SlackRefusal } from './method-call.ts'

/** Limits of Block Kit. */
export const BLOCK_LIMITS = {
  messageBlocks: 50,
  modalBlocks: 100,
  sectionText: 3000,
  headerText: 150,
  buttonText: 75,
  buttonValue: 2000,
  actionId: 255,
  actions: 25,
  contextActions: 5,
  contextElements: 10,
  markdown: 12_000,
} as const

/** Returns the blocks if Slack accepts them, else `invalid_blocks`. */
export function checkBlocks(blocks: Json | undefined, most: number): readonly JsonObject[] | SlackRefusal {
  if (blocks === undefined) return []
  if (!Array.isArray(blocks) || blocks.length > most) return refuse('invalid_blocks')
  const list = blocks as readonly Json[]
  return list.every(isGoodBlock) ? (list as readonly JsonObject[]) : refuse('invalid_blocks')
}

function isGoodBlock(block: Json): boolean {
  if (!isJsonObject(block)) return false
  if (block['type'] === 'section') return isText(block['text'], BLOCK_LIMITS.sectionText)
  if (block['type'] === 'header') return isText(block['text'], BLOCK_LIMITS.headerText)
  if (block['type'] === 'markdown') return isLength(block['text'], BLOCK_LIMITS.markdown)
  if (block['type'] === 'context')
    return isList(block['elements'], BLOCK_LIMITS.contextElements, (each) =>
      isText(each, BLOCK_LIMITS.sectionText),
    )
  if (block['type'] === 'actions') return isList(block['elements'], BLOCK_LIMITS.actions, isButton)
  if (block['type'] === 'context_actions')
    return isList(block['elements'], BLOCK_LIMITS.contextActions, isFeedback)
  return block['type'] === 'divider'
}

function isFeedback(element: Json): boolean {
  return (
    isJsonObject(element) &&
    element['type'] === 'feedback_buttons' &&
    isLength(element['action_id'], BLOCK_LIMITS.actionId) &&
    [element['positive_button'], element['negative_button']].every(
      (choice) =>
        isJsonObject(choice) &&
        isText(choice['text'], BLOCK_LIMITS.buttonText) &&
        isLength(choice['value'], BLOCK_LIMITS.buttonValue),
    )
  )
}

function isButton(element: Json): boolean {
  return (
    isJsonObject(element) &&
    element['type'] === 'button' &&
    isText(element['text'], BLOCK_LIMITS.buttonText) &&
    isLength(element['action_id'], BLOCK_LIMITS.actionId) &&
    (element['value'] === undefined || isLength(element['value'], BLOCK_LIMITS.buttonValue))
  )
}

function isList(value: Json | undefined, most: number, check: (each: Json) => boolean): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= most &&
    (value as readonly Json[]).every(check)
  )
}

function isText(value: Json | undefined, most: number): boolean {
  return (
    isJsonObject(value) &&
    (value['type'] === 'mrkdwn' || value['type'] === 'plain_text') &&
    isLength(value['text'], most)
  )
}

function isLength(value: Json | undefined, most: number): boolean {
  return typeof value === 'string' && value.length > 0 && value.length <= most
}
