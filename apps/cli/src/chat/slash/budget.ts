import { troupeError, type Budget } from '@troupe/schema'
import { formatCost, formatTokens } from '@troupe/timeline'
import type { ChatBudgetTracker } from '../chat-budget.ts'
import type { SlashCommand } from './slash-command.ts'

/** `/budget`: shows the usage and the limits, or changes the limits. */
export const BUDGET: SlashCommand = {
  name: 'budget',
  argument: '[$0.50 | 20000 | off]',
  description: 'what was used, or the most that may be',
  run(argument, { teamChat, print }) {
    if (argument !== '') teamChat.budget.setLimits(parseLimit(argument, teamChat.budget.limits))
    print([budgetLine(teamChat.budget)])
  },
  candidates: () => ['off'],
}

function parseLimit(given: string, before: Budget): Budget {
  if (given === 'off') return {}
  const [, dollar = '', number = ''] = /^(\$?)\s*(\d+(?:\.\d+)?)(?:\s*tokens)?$/u.exec(given) ?? []
  const amount = Number(number)
  if (number !== '' && amount > 0) {
    if (dollar !== '') return { ...before, maxCost: amount }
    if (Number.isInteger(amount)) return { ...before, maxTokens: amount }
  }
  throw troupeError('usage_invalid', `"${given}" is no budget.`, {
    fix: 'Write dollars such as /budget $0.50, tokens such as /budget 20000, or /budget off.',
  })
}

function budgetLine({ spent, limits, isUnpriced }: ChatBudgetTracker): string {
  const { maxCost, maxTokens } = limits
  const known = `${formatCost(spent.maxCost)}${isUnpriced ? ' and turns of unknown price' : ''}`
  const cost = `${known}${maxCost === undefined ? '' : ` of ${formatCost(maxCost)}`}`
  const tokens = `${formatTokens(spent.maxTokens)}${maxTokens === undefined ? '' : ` of ${formatTokens(maxTokens)}`} tokens`
  const rest = maxCost === undefined && maxTokens === undefined ? '; no limit for the chat' : ''
  return `Used here: ${cost}, ${tokens}${rest}.`
}
