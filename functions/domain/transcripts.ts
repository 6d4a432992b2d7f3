import * as z from 'zod/mini';

/** Who speaks in a transcript. `tool`: what a tool returned. `system`: what neither of the two said. */
export const turnRoles = ['agent', 'caller', 'tool', 'system'] as const;

export const Turn = z.object({
  role: z.enum(turnRoles),
  text: z.string(),
  /** Seconds into the call. */
  at: z.optional(z.number()),
});
export type Turn = z.infer<typeof Turn>;

/** Returns the texts of one side. */
export const listTexts = (turns: readonly Turn[] | undefined, role: Turn['role']): string[] | undefined =>
  turns?.flatMap((turn) => (turn.role === role ? [turn.text] : []));
