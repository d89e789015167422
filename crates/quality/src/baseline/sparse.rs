//! A sparse matrix with the products that logistic regression needs.

/// A sparse matrix, stored row by row (compressed sparse rows).
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct SparseMatrix {
    /// Column and value of all non-zero cells, row by row.
    cells: Vec<(u32, f64)>,
    /// For each row, the index after its last cell.
    ends: Vec<usize>,
    /// The number of columns.
    columns: usize,
}

impl SparseMatrix {
    /// Builds a matrix from its rows, each as pairs of column and value. `columns` is the number of columns.
    pub(super) fn from_rows(rows: impl IntoIterator<Item = Vec<(u32, f64)>>, columns: usize) -> Self {
        let mut matrix = Self { columns, ..Self::default() };
        for row in rows {
            matrix.cells.extend(row);
            matrix.ends.push(matrix.cells.len());
        }
        matrix
    }

    /// Returns the rows, each as pairs of column and value.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[(u32, f64)]> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.cells[start..*end])
    }

    /// Returns the number of columns.
    pub(super) const fn columns(&self) -> usize {
        self.columns
    }

    /// Multiplies the matrix by a column vector, which must have at least as many entries as the matrix has columns.
    pub(super) fn multiply(&self, vector: &[f64]) -> Vec<f64> {
        self.rows().map(|row| dot(row, vector)).collect()
    }

    /// Multiplies the transposed matrix by a vector, which must have one entry for each row.
    pub(super) fn multiply_transposed(&self, factors: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.columns];
        for (row, factor) in self.rows().zip(factors) {
            for (column, value) in row {
                sum[*column as usize] += factor * value;
            }
        }
        sum
    }

    /// Returns the cells by column: for each column, the row and the value of its non-zero cells.
    pub(super) fn cells_by_column(&self) -> Vec<Vec<(u32, f64)>> {
        let mut columns = vec![Vec::new(); self.columns];
        for (index, row) in (0..).zip(self.rows()) {
            for (column, value) in row {
                columns[*column as usize].push((index, *value));
            }
        }
        columns
    }
}

/// Returns the dot product of a sparse and a dense vector.
pub(super) fn dot(row: &[(u32, f64)], vector: &[f64]) -> f64 {
    row.iter().map(|(column, value)| value * vector[*column as usize]).sum()
}
