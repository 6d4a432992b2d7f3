/** The parts of a request; before validation as they were sent, after it as the endpoint's schemas parsed them. */
export type Input = { params: unknown; query: unknown; body: unknown };

/** The input of a request, or what is wrong with it. */
export type ParsedInput = { input: Input; error?: undefined } | { input?: undefined; error: Error };
