//! `quality FOLDER`: evaluates the pattern store, or with `--skills` the ranking of skills, on a folder of sets and prints
//! tables.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

mod arguments;

use std::{error::Error, process::ExitCode, time::Instant};

use clap::Parser;
use quality::{
    data,
    report::{MeasurementExtent, SetReport, measure},
    skill_choice, tables,
};

use arguments::Arguments;

/// Runs the program; prints an error to standard error and exits with status 1 if it fails.
fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures all sets and prints the measurements to standard output, as tables or JSON.
fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.skills {
        return run_skills(arguments);
    }
    let effort = if arguments.reduced { MeasurementExtent::Reduced } else { MeasurementExtent::Whole };
    let reports = measure_all(arguments, effort)?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&reports)?);
    } else if arguments.reduced {
        println!("{}", tables::summary_line(&reports));
    } else {
        print!("{}", tables::all_tables(&reports));
    }
    Ok(())
}

/// Measures the ranking of skills on all sets of the folder and on the labelled cases, and prints the measurements to
/// standard output, as tables or JSON.
fn run_skills(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let progress = |step: &str| eprintln!("{:>6.1} s  {step}", start.elapsed().as_secs_f64());
    let report = skill_choice::measure(&arguments.folder, arguments.cases.as_deref(), arguments.reduced, &progress)?;
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else if arguments.reduced {
        println!("{}", skill_choice::summary_line(&report));
        skill_choice::check_floors(&report)?;
    } else {
        print!("{}", skill_choice::tables(&report));
    }
    Ok(())
}

/// Measures all sets of the folder; prints progress to standard error. Fails if a set cannot be read or measured.
fn measure_all(arguments: &Arguments, effort: MeasurementExtent) -> Result<Vec<SetReport>, Box<dyn Error>> {
    let start = Instant::now();
    let mut reports = Vec::new();
    for set in data::read_sets(&arguments.folder)? {
        let progress = |step: &str| eprintln!("{:>6.1} s  {step}", start.elapsed().as_secs_f64());
        reports.push(measure(&set, effort, &progress)?);
    }
    Ok(reports)
}
