import { defineAgent, type AgentDefinition, type AgentFields } from '@troupe/schema'

/** The tool of the design document. */
export const BOOK_FLIGHT = {
  name: 'book_flight',
  description: 'Books a flight ticket for a user.',
  parameters: {
    type: 'object',
    properties: {
      destination: {
        type: 'string',
        description: "The destination city and country (e.g., 'Paris, France').",
      },
      departure_date: {
        type: 'string',
        description: 'The desired date of departure, in YYYY-MM-DD format.',
      },
    },
    required: ['destination', 'departure_date'],
  },
  prompt: 'The user wants to book a flight to {destination} on {departure_date}, please book accordingly',
} as const

/** Returns an agent that offers the tool. */
export function travel(fields: Partial<AgentFields> = {}): AgentDefinition {
  return defineAgent({
    name: 'Travel',
    description: 'Books journeys.',
    version: '1.2.0',
    mode: 'tools',
    instruction: 'Book it.',
    exports: { tools: [BOOK_FLIGHT] },
    ...fields,
  })
}
