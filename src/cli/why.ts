import type { Command } from './command.ts'

export const command: Command = { name: 'why', summary: '', usage: '', run: () => Promise.resolve(1) }
