import type { Command } from './command.ts'

export const command: Command = { name: 'new', summary: '', usage: '', run: () => Promise.resolve(1) }
