import { defineTool } from 'troupe'
import { z } from 'zod'

// replace the fixed offers with calls of the services that you use

export const searchFlights = defineTool({
  name: 'searchFlights',
  description: 'Searches for flights on a day.',
  input: z.object({ destination: z.string(), date: z.iso.date() }),
  effect: 'read',
  execute: ({ destination }) => ({ offers: [{ name: `TR 42 to ${destination}`, price: 120 }] }),
})

export const searchHotels = defineTool({
  name: 'searchHotels',
  description: 'Searches for hotels in a city.',
  input: z.object({ city: z.string(), nights: z.int().min(1) }),
  effect: 'read',
  execute: ({ city, nights }) => ({ offers: [{ name: `Hotel ${city}`, price: 80 * nights }] }),
})
