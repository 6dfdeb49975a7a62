export interface LoadSkillRequest {
  readonly name: string;
  readonly arguments: string | null;
}

export interface LoadedSkill {
  readonly name: string;
  /** The text for the model: the skill's origin, then its text with the arguments filled in. */
  readonly text: string;
  /** Absolute path of its folder; null for a skill that is built in. */
  readonly folder: string | null;
  /** Its other files, relative to the folder, sorted; the first 512. */
  readonly files: readonly string[];
}

export interface SkillsService {
  /** @throws AppError `not_found` with the nearest names, `refused`, `limit`, `system` */
  load(request: LoadSkillRequest): Promise<LoadedSkill>;
}
