import type { TestProject } from 'vitest/node';
import type { Target } from '../support/global-setup.ts';

/** The emulated deployment, beyond what any test knows of the service. */
export type Deployed = {
  stack: string;
  outputs: Record<string, string>;
  /** The API and the chat without the edge before them. */
  apiUrl: string;
  chatUrl: string | null;
  environment: Record<string, string>;
  /** The addresses of the fake Stripe, Bedrock and Vapi. The last one is not started. */
  fakes: Record<string, string>;
  grants: string;
  /** The Python programs beside the emulator. */
  programs: string;
  /** The folder of the templates that were deployed. */
  assembly: string;
  /** The command line by which it was deployed, without its first word. */
  context: string[];
};

declare module 'vitest' {
  export interface ProvidedContext {
    deployed: Deployed;
  }
}

/** Provides the tests with the deployment that `run.ts` made. */
export default (project: TestProject) => {
  const { target, deployed, siteOrigin, receiverOrigin } = JSON.parse(process.env.DEPLOYED ?? '') as {
    target: Target;
    deployed: Deployed;
    siteOrigin: string;
    receiverOrigin: string;
  };
  project.provide('siteOrigin', siteOrigin);
  project.provide('receiverOrigin', receiverOrigin);
  project.provide('targetUrl', `data:application/json,${encodeURIComponent(JSON.stringify(target))}`);
  project.provide('deployed', deployed);
};
