import type { AgentReference } from './endpoint.ts';

/** The parts of a request, as sent or as parsed. */
export type Input = { params: unknown; query: unknown; body: unknown; ifMatch?: number };

/** The input of a request with the ignored fields, or its error. */
export type ParsedInput =
  | { input: Input; reference: Partial<AgentReference>; ignored: string[]; error?: undefined }
  | { input?: undefined; reference?: undefined; error: Error };
