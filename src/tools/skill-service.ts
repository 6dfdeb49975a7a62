export interface LoadSkillRequest {
  readonly name: string;
  readonly arguments: string | null;
}

export interface LoadedSkill {
  readonly name: string;
  /** The text of the skill, its arguments filled in. */
  readonly body: string;
  /** Absolute path of its folder; null for a skill that is built in. */
  readonly folder: string | null;
  /** Its other files, relative to the folder, sorted. */
  readonly files: readonly string[];
}

export interface SkillsService {
  /** @throws AppError `not_found` with the nearest names, `refused`, `system` */
  load(request: LoadSkillRequest): Promise<LoadedSkill>;
}
