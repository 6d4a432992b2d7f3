import type { AgentReference } from './endpoint.ts';

/** The parts of a request; before validation as they were sent, after it as the endpoint's schemas parsed them. */
export type Input = { params: unknown; query: unknown; body: unknown; ifMatch?: number };

/** The input of a request, the agent that it names, and the fields that were ignored; or its error. */
export type ParsedInput =
  | { input: Input; reference: Partial<AgentReference>; ignored: string[]; error?: undefined }
  | { input?: undefined; reference?: undefined; error: Error };
